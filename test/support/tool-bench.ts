import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackgroundItem } from '../../src/contract/background.ts';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import type { BackgroundCommands } from '../../src/contract/shell.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/contract/tool.ts';
import { mediaReader } from '../../src/media/media-reader.ts';
import { ripgrep } from '../../src/search/ripgrep.ts';
import { backgroundCommands } from '../../src/shell/background.ts';
import { createShell } from '../../src/shell/run.ts';
import { bashTool } from '../../src/tools/bash.ts';
import { commandWork } from '../../src/tools/command-work.ts';
import { editTool } from '../../src/tools/edit.ts';
import { globTool } from '../../src/tools/glob.ts';
import { grepTool } from '../../src/tools/grep.ts';
import { notebookEditTool } from '../../src/tools/notebook-edit.ts';
import { readTool } from '../../src/tools/read.ts';
import { taskOutputTool } from '../../src/tools/task-output.ts';
import { taskStopTool } from '../../src/tools/task-stop.ts';
import { writeTool } from '../../src/tools/write.ts';

/** The real tools over a real folder, and a session whose directory and seen files move with their effects. */
export interface ToolBench extends AsyncDisposable {
  /** Real path of the workspace. */
  readonly folder: string;
  readonly outputs: string;
  readonly tools: readonly Tool[];
  readonly background: BackgroundCommands;
  /** Background commands that have ended. */
  readonly ended: readonly BackgroundItem[];
  state(): SessionState;
  /** Checks, runs and applies effects; invalid input is an error outcome. */
  call(name: string, input: unknown, ctx?: Partial<ToolContext>): Promise<ToolOutcome>;
  prepare(name: string, input: unknown): ReturnType<Tool['prepare']>;
  context(ctx?: Partial<ToolContext>): ToolContext;
}

export const toolBench = (): ToolBench => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tools-')));
  const [folder, outputs] = [join(root, 'work'), join(root, 'outputs')];
  for (const path of [folder, outputs]) mkdirSync(path);
  const env = { PATH: process.env.PATH ?? '', HOME: root };
  const shell = createShell({ path: env.PATH });
  const background = backgroundCommands();
  const ended: BackgroundItem[] = [];
  const work = commandWork(background);
  const search = ripgrep({ env });
  const tools = [
    bashTool({
      shell,
      background,
      env: () => env,
      outputs: async () => outputs,
      ended: (_, command) => ended.push(command),
    }),
    readTool({ media: mediaReader(), documents: (model) => model === 'seeing' }),
    writeTool(),
    editTool(),
    notebookEditTool(),
    globTool({ search }),
    grepTool({ search }),
    taskStopTool(work),
    taskOutputTool(work),
  ];
  let state = opened(folder);
  const prepare = (name: string, input: unknown) => {
    const tool = tools.find(({ schema }) => schema.name === name);
    if (!tool) throw new Error(`There is no tool ${name} on the bench.`);
    return tool.prepare(input, state);
  };
  const context = (ctx: Partial<ToolContext> = {}): ToolContext => ({
    session: state,
    call: 'call-1' as CallId,
    signal: new AbortController().signal,
    ask: async () => ({ kind: 'none', reason: 'nobody is here', source: 'headless' }),
    progress: () => undefined,
    ...ctx,
  });
  return {
    folder,
    outputs,
    tools,
    background,
    ended,
    state: () => state,
    prepare,
    context,
    call: async (name, input, ctx) => {
      const prepared = prepare(name, input);
      if ('invalid' in prepared) return { status: 'error', text: prepared.invalid };
      const outcome = await prepared.run(context(ctx));
      for (const effect of outcome.effects ?? []) {
        if (effect.type === 'cwd') state = { ...state, cwd: effect.cwd };
        if (effect.type === 'seen') state = { ...state, seen: { ...state.seen, [effect.path]: effect.file } };
      }
      return outcome;
    },
    [Symbol.asyncDispose]: () => shell.close(),
  };
};

const opened = (folder: string): SessionState => ({
  id: 'session-1' as SessionId,
  root: 'session-1' as SessionId,
  agent: { type: 'main' },
  model: 'test',
  thinkingTokens: 0,
  cwd: folder,
  project: folder,
  checkout: folder,
  directories: [],
  mode: 'default',
  taskList: 'session-1',
  mailRead: {},
  seen: {},
  messages: [],
  turns: 0,
  usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  usageByModel: {},
  contextTokens: 0,
  onceDone: [],
  grants: [],
});
