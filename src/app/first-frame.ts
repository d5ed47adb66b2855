/**
 * The frame drawn before Ink is loaded, by hand, so that keys are taken within milliseconds of the start. It shows
 * the rows that the screen will show, echoes what is typed, and keeps it for the screen. Imports nothing.
 */
export interface FirstFrame {
  /** Stops reading and answers everything typed so far. Erases the frame; what is drawn next stands in its place. */
  take(): string;
  /** The program goes on without the screen: erases the frame and gives the terminal back. Harmless afterwards and twice. */
  abandon(): void;
}

export interface FirstFramePlace {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** Ctrl+C before anything else is there. */
  quit(): void;
}

/** Whether these arguments lead to the screen; a first word might be a subcommand, so only a whole sentence is a prompt. */
export function leadsToScreen(args: readonly string[]): boolean {
  if (
    args.some((arg) =>
      /^(-p|--print|-h|--help|-v|--version|--init-only|--output-format.*|--input-format.*|-r|--resume.*)$/.test(
        arg,
      ),
    )
  )
    return false;
  return args.every(
    (arg, index) => arg.startsWith('-') || /\s/.test(arg) || args[index - 1]?.startsWith('--') === true,
  );
}

/** Draws the frame and takes keys; nothing on terminals that are no terminal, dumb or too small. */
export function firstFrame({
  stdin,
  stdout,
  env,
  cwd,
  version,
  quit,
}: FirstFramePlace): FirstFrame | undefined {
  const { columns = 80, rows = 24 } = stdout;
  if (
    !stdin.isTTY ||
    !stdout.isTTY ||
    env.TERM === 'dumb' ||
    env.COPPICE_SCREEN_READER === '1' ||
    columns < 40 ||
    rows < 14
  )
    return undefined;
  let held = '';
  let shown = '';
  let echoing = true;
  let over = false;
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdout.write(frame(columns, env, cwd, version));

  const read = () => {
    for (let chunk: unknown = stdin.read(); typeof chunk === 'string'; chunk = stdin.read()) {
      held += chunk;
      if (chunk.includes('\x03')) return leave();
      echo(chunk);
    }
  };
  const echo = (chunk: string) => {
    for (const char of chunk) {
      if (char === '\x7f') shown = shown.slice(0, -1);
      // Anything that is more than a letter is the screen's to understand.
      else if (char < ' ') echoing = false;
      else if (echoing) shown += char;
    }
    if (echoing) stdout.write(`\r\x1b[3G\x1b[K${shown.slice(4 - columns)}`);
  };
  const stop = () => {
    over = true;
    stdin.off('readable', read);
    // Row by row: some terminals keep what is erased as a whole in their scrollback.
    stdout.write(`\x1b[${ABOVE}A\r${'\x1b[2K\n'.repeat(ABOVE + 1)}\x1b[2K\x1b[${ABOVE + 1}A`);
  };
  const abandon = () => {
    if (over) return;
    stop();
    stdout.write('\x1b[?2004l');
    stdin.setRawMode(false);
    stdin.pause();
  };
  const leave = () => {
    abandon();
    quit();
  };
  stdin.on('readable', read);
  return {
    take() {
      read();
      stop();
      return held;
    },
    abandon,
  };
}

/** Rows of the frame above the one with the caret. */
const ABOVE = 6;

function frame(columns: number, env: FirstFramePlace['env'], cwd: string, version: string): string {
  const full = /^(truecolor|24bit)$/i.test(env.COLORTERM ?? '');
  const colour = (text: string, code: string) => (env.NO_COLOR ? text : `\x1b[${code}m${text}\x1b[0m`);
  const tree = (text: string) => colour(text, full ? '38;2;111;159;69' : '32');
  const dim = (text: string) => colour(text, full ? '38;2;125;133;143' : '90');
  const faint = (text: string) => colour(text, full ? '38;2;134;141;150' : '90');
  const rule = colour('─'.repeat(columns - 1), full ? '38;2;134;141;150' : '90');
  const home = env.HOME ?? '';
  const place = home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
  const safe = [...place].filter((char) => char >= ' ' && !(char >= '\x7f' && char <= '\x9f')).join('');
  return [
    // Keys that came before raw mode were echoed by the terminal itself.
    '\r\x1b[J',
    `${tree('  ▟▙   ')}\x1b[1mCoppice\x1b[0m ${dim(version)}`,
    `${tree(' ▟██▙  ')}${dim(safe.slice(8 - columns))}`,
    `${tree('  ▐▌   ')}${faint('say what to do · / for commands · ? for keys')}`,
    '',
    rule,
    `${tree('❯ ')}`,
    `${rule}\x1b[1A\x1b[3G\x1b[?2004h`,
  ].join('\n');
}
