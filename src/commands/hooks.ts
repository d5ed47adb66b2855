import type { SlashCommand } from '../contract/command.ts';
import type { Session } from '../contract/session.ts';
import type { HookRunRecord } from '../contract/transcript.ts';
import { text } from './answer.ts';

/** One configured handler. */
export interface HookLine {
  readonly event: string;
  readonly matcher: string | null;
  readonly if: string | null;
  readonly type: string | null;
  readonly label: string;
  readonly source: string;
  readonly path: string;
  readonly active: boolean;
  readonly problem: string | null;
  readonly once: boolean;
  readonly async: boolean;
}

export interface HookBook {
  lines(): readonly HookLine[];
  /** Runs recorded in this conversation, oldest first. */
  runs(session: Session): Promise<readonly HookRunRecord[]>;
}

const short = (words: string): string => {
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
};

const runText = (run: HookRunRecord): string => {
  const code = run.exitCode === null ? '' : `, exit ${run.exitCode}`;
  const said = short(run.stderr || run.stdout);
  return `last: ${run.outcome}${code}, ${run.durationMs} ms${run.effect ? `; ${run.effect}` : ''}${said ? `; said \`${said}\`` : ''}`;
};

const lineText = (line: HookLine, runs: readonly HookRunRecord[]): string => {
  const mine = runs.filter((run) => run.event === line.event && run.label === line.label);
  const last = mine.at(-1);
  const traits = [
    line.active ? undefined : 'off',
    line.once ? 'once' : undefined,
    line.async ? 'in the background' : undefined,
    line.if ? `if ${line.if}` : undefined,
  ].filter((one) => one !== undefined);
  return [
    `- **${line.matcher ?? '*'}** ${line.type ?? '-'} \`${short(line.label)}\` (${line.source}, ${line.path})${traits.length > 0 ? ` [${traits.join(', ')}]` : ''}`,
    ...(line.problem ? [`  - wrong: ${line.problem}`] : []),
    last ? `  - ran ${mine.length} times; ${runText(last)}` : '  - has not run in this conversation',
  ].join('\n');
};

/** `/hooks`: what is hooked to which event, from where, and how its last runs went. */
export const hooksCommand = (book: HookBook): SlashCommand => ({
  name: 'hooks',
  description: 'Hooks in force and their last runs',
  argumentHint: '[event]',
  source: 'builtin',
  instant: true,
  async run(args, { session, screen }) {
    const wish = args.trim().toLowerCase();
    const lines = book.lines().filter((line) => wish === '' || line.event.toLowerCase() === wish);
    if (lines.length === 0)
      return text(
        wish === ''
          ? 'No hooks are configured. The key `hooks` of `.coppice/settings.json` (this project) or `~/.coppice/settings.json` (you, everywhere) holds them.'
          : `No hook is configured for ${args.trim()}.`,
      );
    const runs = await book.runs(session);
    const events = [...new Set(lines.map(({ event }) => event))];
    const page = events
      .map((event) => {
        const mine = lines.filter((line) => line.event === event);
        return `### ${event}\n\n${mine.map((line) => lineText(line, runs)).join('\n')}`;
      })
      .join('\n\n');
    const hint =
      '`coppice hooks run EVENT` tries them out; `coppice hooks replay SESSION` shows every recorded run.';
    if (!screen.interactive) return text(`${page}\n\n${hint}`);
    await screen.panel('Hooks', `${page}\n\n${hint}`);
    return { kind: 'done' };
  },
});
