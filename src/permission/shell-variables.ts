/** Variables that may be set to plain text in front of an allowed command: none of them names code, files or hosts. */
const harmless: ReadonlySet<string> = new Set([
  'CI',
  'NODE_ENV',
  'LANG',
  'LANGUAGE',
  'TZ',
  'NO_COLOR',
  'FORCE_COLOR',
  'CLICOLOR',
  'CLICOLOR_FORCE',
  'COLUMNS',
  'LINES',
  'RUST_BACKTRACE',
  'RUST_LOG',
  'PYTHONUNBUFFERED',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONHASHSEED',
  'PYTHONIOENCODING',
  'PYTHONUTF8',
  'DEBUG',
  'VERBOSE',
  'COVERAGE',
  'HUSKY',
  'DO_NOT_TRACK',
  'NEXT_TELEMETRY_DISABLED',
  'CARGO_TERM_COLOR',
  'CARGO_INCREMENTAL',
  'DEBIAN_FRONTEND',
  'GIT_TERMINAL_PROMPT',
  'GIT_OPTIONAL_LOCKS',
  'RAILS_ENV',
  'RACK_ENV',
  'APP_ENV',
  'MIX_ENV',
  'GOMAXPROCS',
  'CGO_ENABLED',
  'GOOS',
  'GOARCH',
  'VITEST',
  'JEST_WORKER_ID',
]);

export const harmlessVariable = (name: string): boolean => harmless.has(name) || /^LC_[A-Z]+$/.test(name);

/** Names that a loop may use: lower case, and none that programs read. */
export const harmlessLoopName = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) && !/(^|_)proxy$|^npm_|^_$/.test(name);

/** Variables whose value the shell itself keeps numeric. */
export const numericVariable = (name: string): boolean =>
  ['RANDOM', 'SECONDS', 'LINENO', 'BASHPID', 'PPID', 'UID', 'EUID', 'EPOCHSECONDS'].includes(name);
