import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { BackgroundItem } from '../contract/background.ts';
import type { Box } from '../contract/sandbox.ts';
import type { BackgroundCommands, RunningCommand, Shell } from '../contract/shell.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { type AwayWish, awayWish } from './away.ts';
import description from './bash.md';
import { type Ran, report } from './bash-report.ts';
import { defineTool } from './define.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const PROGRESS_MS = 100;

export interface BashDeps {
  readonly shell: Shell;
  readonly background: BackgroundCommands;
  /** Without the provider's credentials (ruling 9); what a command that only reads starts by itself is switched off. */
  env(
    state: SessionState,
    command: string,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** True when a command may run beside others of its kind: it is proven to change nothing, not even where it is. */
  aside?(state: SessionState, command: string): boolean;
  /** The sandbox for a command, where it runs in one; a sentence when it must not run without. */
  box?(state: SessionState, command: string): Promise<Box | { readonly refused: string } | undefined>;
  /** Files that hooks wrote exports into. */
  envFiles?(state: SessionState): readonly string[] | Promise<readonly string[]>;
  /** The folder for output files; exists, 0700. */
  outputs(state: SessionState): Promise<string>;
  /** A command of this session that ran in the background has ended, or was stopped. */
  ended(state: SessionState, command: BackgroundItem): void;
  readonly defaultTimeoutMs?: number;
  readonly maxTimeoutMs?: number;
}

interface Wish {
  readonly command: string;
  readonly description?: string;
  readonly timeout?: number;
  readonly run_in_background?: boolean;
}

export const bashTool = (deps: BashDeps): Tool =>
  defineTool({
    name: 'Bash',
    description,
    input: z.object({
      command: z.string(),
      description: z.string().optional().describe('What it does, in 5 to 10 words'),
      timeout: z.number().min(1).optional().describe('Milliseconds, at most 600000; 120000 if left out'),
      run_in_background: z.boolean().optional(),
    }),
    renamed: { cmd: 'command', script: 'command' },
    call: (wish, state) => {
      if (wish.command.trim() === '') return { invalid: '"command" of Bash is empty. Give a script to run.' };
      if (wish.command.includes('\0'))
        return {
          invalid: '"command" of Bash holds a NUL byte, which no command can. Write \\0 in printf instead.',
        };
      return {
        input: wish,
        subject: wish.command,
        readOnly: false,
        parallel: !wish.run_in_background && deps.aside?.(state, wish.command) === true,
        preview: async () => ({ kind: 'text', body: wish.command }),
        run(ctx) {
          const away = awayWish(ctx);
          return run(deps, wish, ctx, away).finally(away.forget);
        },
      };
    },
  });

const run = async (deps: BashDeps, wish: Wish, ctx: ToolContext, away: AwayWish): Promise<ToolOutcome> => {
  const { session } = ctx;
  if (!isFolder(session.cwd)) return vanished(session);
  const outputFile = join(await deps.outputs(session), `command-${randomBytes(6).toString('hex')}.txt`);
  const box = await deps.box?.(session, wish.command);
  if (box && 'refused' in box) return { status: 'error', text: box.refused };
  const telling = reporter(ctx);
  const running = deps.shell.start({
    command: wish.command,
    cwd: session.cwd,
    env: await deps.env(session, wish.command),
    envFiles: (await deps.envFiles?.(session)) ?? [],
    ...(box ? { sandbox: { line: box.line, scratch: box.scratch } } : {}),
    timeoutMs: Math.min(
      wish.timeout ?? deps.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      deps.maxTimeoutMs ?? MAX_TIMEOUT_MS,
    ),
    outputFile,
    signal: ctx.signal,
    onOutput: () => telling.wake(running),
  });
  const cleared = running.result.then(() => box?.done() ?? []);
  const hereOrAway = wish.run_in_background && running.pid > 0 ? 'away' : await away.or(running.result);
  telling.stop();
  if (hereOrAway === 'away') return sendAway(deps, wish, ctx, running, outputFile);
  const ran: Ran = { command: wish.command, session, result: hereOrAway };
  return withRemoved(report(ran), await cleared);
};

const withRemoved = (outcome: ToolOutcome, removed: readonly string[]): ToolOutcome =>
  removed.length === 0
    ? outcome
    : {
        ...outcome,
        text: `${outcome.text}\n[${removed.join(' and ')} led git to other configuration and was taken away.]`,
      };

const sendAway = (
  deps: BashDeps,
  wish: Wish,
  ctx: ToolContext,
  running: RunningCommand,
  outputFile: string,
): ToolOutcome => {
  const { session } = ctx;
  const label = wish.description ?? wish.command;
  const id = deps.background.adopt(wish.command, running, outputFile, (ended) => {
    const command = deps.background.get(ended);
    if (command) deps.ended(session, { ...command, kind: 'command', label });
  });
  const so = running.tail();
  return {
    status: 'ok',
    text: `It runs in the background as ${id}; you are told when it ends. Output goes to ${outputFile}${so === '' ? '.' : `, so far:\n${so}`}`,
    display: { kind: 'text', summary: `in the background as ${id}`, body: so },
    response: { stdout: so, stderr: '', interrupted: false, isImage: false, backgroundTaskId: id },
    effects: [
      {
        type: 'background',
        id,
        kind: 'command',
        label,
        status: 'running',
        output: outputFile,
        call: ctx.call,
      },
    ],
  };
};

/** Passes output on in a steady rhythm, however fast it comes, until the call has its result. */
const reporter = (ctx: ToolContext): { wake(running: RunningCommand): void; stop(): void } => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  return {
    wake: (running) => {
      if (stopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        ctx.progress(running.news());
      }, PROGRESS_MS);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};

const vanished = (session: SessionState): ToolOutcome => {
  const cwd = [session.checkout, session.project].find(isFolder);
  const text = `The working directory ${session.cwd} does not exist any more, so nothing was run.`;
  if (cwd === undefined)
    return { status: 'error', text: `${text} The project ${session.project} is gone too.` };
  return {
    status: 'error',
    text: `${text} You are in ${cwd} now; give the command again as it fits there.`,
    effects: [{ type: 'cwd', cwd }],
  };
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
