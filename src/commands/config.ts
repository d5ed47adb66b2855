import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { refused, table, text } from './answer.ts';

export interface ConfigRow {
  readonly key: string;
  readonly value: unknown;
  readonly file: string;
}

export interface Config {
  rows(): readonly ConfigRow[];
  /** Names of all settings there are, for completion and for saying what is not one. */
  readonly keys: readonly string[];
  /** Writes to the person's own settings and reads them again; a sentence when refused. `undefined` takes the key away. */
  set(
    key: string,
    value: unknown,
  ): Promise<{ readonly written: string; readonly note?: string } | { readonly refused: string }>;
  /** What this conversation was begun with, of settings that count at its beginning. */
  here(): Readonly<Record<'outputStyle' | 'language', string>>;
}

const parsed = (words: string): unknown => {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
};

const short = (value: unknown): string => {
  const words = JSON.stringify(value);
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
};

type Here = SessionState & ReturnType<Config['here']>;

/** What people change most: what this conversation has of it now, or what holds where it is not set. */
const common: readonly (readonly [key: string, here: (state: Here) => string, unset?: string])[] = [
  ['theme', () => '', 'auto'],
  ['model', ({ model }) => model],
  ['effortLevel', ({ effort }) => effort ?? '', "the model's own"],
  ['permissions.defaultMode', ({ mode }) => mode],
  ['editorMode', () => '', 'normal'],
  ['outputStyle', ({ outputStyle }) => outputStyle],
  ['language', ({ language }) => language],
];

const shown = (row: ConfigRow, here = ''): readonly string[] => [
  `\`${row.key}\``,
  `\`${short(row.value)}\`${here === '' || here.toLowerCase() === String(row.value).toLowerCase() ? '' : ` (here: ${here})`}`,
  row.file,
];

const overview = (set: readonly ConfigRow[], state: Here): string => {
  const first = common.map(([key, here, unset = '']) => {
    const row = set.find((one) => one.key === key);
    return row ? shown(row, here(state)) : [`\`${key}\``, here(state) || unset, 'not set'];
  });
  const others = set.filter((row) => !common.some(([key]) => key === row.key)).map((row) => shown(row));
  const help =
    '`/config KEY=VALUE` sets one, such as `/config theme=dark`; `/config KEY=` takes it away. `coppice config schema` describes all settings.';
  return `${table(['setting', 'in force', 'from'], [...first, ...others])}\n\n${help}`;
};

/** `/config [KEY | KEY=VALUE | KEY=]`: what is set, from where; changes go to the person's own settings. */
export const configCommand = (config: Config): SlashCommand => ({
  name: 'config',
  aliases: ['settings'],
  description: 'Settings: show, or change your own',
  argumentHint: '[key[=value]]',
  source: 'builtin',
  instant: true,
  complete: () => config.keys,
  async run(args, { session }) {
    const match = /^([\w.-]+)\s*(?:(=)\s*(.*))?$/s.exec(args.trim());
    const key = match?.[1];
    if (args.trim() === '') return text(overview(config.rows(), { ...session.state(), ...config.here() }));
    if (!key)
      return refused('Type /config, /config KEY, /config KEY=VALUE, or /config KEY= to take it away.');
    const known = config.keys.includes(key.split('.')[0] ?? '');
    if (!known) return refused(`There is no setting "${key}". \`coppice config schema\` describes them all.`);
    if (match[2] === undefined) {
      const rows = config.rows().filter((row) => row.key === key || row.key.startsWith(`${key}.`));
      return rows.length === 0
        ? text(`\`${key}\` is not set.`)
        : text(
            rows
              .map((row) => `\`${row.key}\` is \`${JSON.stringify(row.value)}\` (${row.file})`)
              .join('\n\n'),
          );
    }
    const value = match[3] ?? '';
    const done = await config.set(key, value === '' ? undefined : parsed(value));
    if ('refused' in done) return refused(done.refused);
    const said =
      value === '' ? `\`${key}\` was taken from ${done.written}.` : `\`${key}\` is set in ${done.written}.`;
    return text(done.note ? `${said} ${done.note}` : said);
  },
});
