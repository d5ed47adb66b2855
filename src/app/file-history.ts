/** Checkpoints of one root conversation and its children: what is recorded when, and where it lies. */
import { dirname, join } from 'node:path';
import { createCheckpoints } from '../checkpoints/checkpoints.ts';
import type { Checkpoints } from '../contract/checkpoint.ts';
import type { SessionEvent } from '../contract/event.ts';
import type { SessionState } from '../contract/state.ts';
import type { PreparedCall, Tool } from '../contract/tool.ts';
import { findGit, type GitDone, type GitProgram, type RunOptions, runGit } from '../git/run.ts';
import type { LoopDeps } from '../loop/deps.ts';
import { isReadOnlyCommand } from '../permission/read-only.ts';
import { plainWorld } from './plain-world.ts';
import type { World } from './world.ts';

export interface FileHistory {
  /** Undefined where it is switched off. */
  readonly checkpoints: Checkpoints | undefined;
  readonly checkpoint: LoopDeps['checkpoint'];
  /** Sees by what happens that a checkout is about to be changed. */
  foresee(event: SessionEvent, stateOf: () => SessionState | undefined): void;
  /** The tool with an eye on what its calls leave. */
  watched(tool: Tool): Tool;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const OFF: FileHistory = {
  checkpoints: undefined,
  checkpoint: undefined,
  foresee: () => undefined,
  watched: (tool) => tool,
};

/** Milliseconds; a pipe that somebody named .gitignore would hold git, and with it the call, for ever. */
const GIT_PATIENCE = 15_000;

/** Git with an end: what takes too long is a failure like any other. */
const patientGit = async (
  program: GitProgram,
  cwd: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitDone> => {
  const signal = AbortSignal.timeout(GIT_PATIENCE);
  return await runGit(program, cwd, args, { ...options, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return { code: -1, stdout: Buffer.alloc(0), stderr: `git took longer than ${GIT_PATIENCE / 1000} s` };
  });
};

export const createFileHistory = (
  world: World,
  outputs: () => Promise<string>,
  notice: (text: string) => void,
): FileHistory => {
  const off =
    world.loaded().settings.fileCheckpointingEnabled === false ||
    world.env().CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING;
  if (off) return OFF;
  const home = world.homes.user ?? '/';
  const program = findGit(world.host.env, [world.project]);
  const checkpoints = createCheckpoints({
    folder: async () => join(dirname(await outputs()), 'checkpoints'),
    git: program && ((cwd, args, options) => patientGit(program, cwd, args, options)),
    never: [home, '/'],
    now: () => Date.now(),
    trouble: notice,
  });

  /** What a call may change: one file, anything below the checkout, or nothing we could put back. */
  const reach = (
    state: SessionState,
    tool: string,
    { input }: PreparedCall,
  ): { readonly file?: string } | undefined => {
    switch (tool) {
      case 'Edit':
      case 'Write':
      case 'NotebookEdit': {
        const file = text(input.file_path) ?? text(input.notebook_path);
        return file === undefined ? undefined : { file };
      }
      case 'Bash':
        return isReadOnlyCommand(text(input.command) ?? '', plainWorld(state, home)) ? undefined : {};
      default:
        return tool.startsWith('mcp__') ? {} : undefined;
    }
  };

  return {
    checkpoints,
    foresee(event, stateOf) {
      const edits = event.type === 'tool.announced' && /^(Edit|Write|NotebookEdit)$/.test(event.tool);
      const asks =
        event.type === 'ask' && event.question.kind === 'permission' && event.question.tool === 'Bash';
      const state = edits || asks ? stateOf() : undefined;
      if (state) checkpoints.ahead(state.checkout);
    },
    async checkpoint(state, tool, call, id) {
      const reached = reach(state, tool, call);
      if (!reached) return undefined;
      const made = await checkpoints.before({ id, state, tool, subject: call.subject, ...reached });
      return made === undefined ? undefined : { type: 'checkpoint', id: made, call: id };
    },
    watched: (tool) => ({
      ...tool,
      prepare(raw, state) {
        const call = tool.prepare(raw, state);
        if ('invalid' in call || call.readOnly) return call;
        return {
          ...call,
          async run(ctx) {
            try {
              return await call.run(ctx);
            } finally {
              checkpoints.after(ctx.call);
            }
          },
        };
      },
    }),
  };
};
