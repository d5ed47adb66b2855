/** Commands inside skills: judged by the permission engine, never asked about, run as Bash runs them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { InlineRun, RenderPorts } from '../catalog/render.ts';
import type { Judgement } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { createShell } from '../shell/run.ts';
import type { Commands } from './command-box.ts';
import type { World } from './world.ts';

export interface InlineShellDeps {
  readonly world: World;
  readonly commands: Pick<Commands, 'box' | 'env'>;
  judge(call: JudgedCall, state: SessionState): Judgement;
  outputs(state: SessionState): Promise<string>;
}

/** The session as it is while the skill is at work: with what the skill allows. */
const allowing = (state: SessionState, allow: readonly string[]): SessionState => ({
  ...state,
  inForce: {
    ...state.inForce,
    ahead: false,
    deny: state.inForce?.deny ?? [],
    allow: [...(state.inForce?.allow ?? []), ...allow],
  },
});

export const inlineShell = ({
  world,
  judge,
  outputs,
  commands,
}: InlineShellDeps): RenderPorts['runShell'] => {
  return async (command, { state, signal, allow, timeoutMs }): Promise<InlineRun> => {
    const judged = judge({ tool: 'Bash', input: { command }, readOnly: false }, allowing(state, allow));
    if (judged.decision !== 'allow') return { status: 'refused', reason: judged.reason.replace(/\.$/, '') };
    const shell = createShell({ path: world.host.env.PATH ?? '' });
    try {
      const outputFile = join(await outputs(state), `skill-${randomBytes(6).toString('hex')}.txt`);
      const box = await commands.box(state, command);
      if (box && 'refused' in box) return { status: 'refused', reason: box.refused.replace(/\.$/, '') };
      const env = await commands.env(state, command);
      const request = { command, cwd: state.cwd, env, timeoutMs, outputFile, signal };
      const ran = await shell.start(box ? { ...request, sandbox: box } : request).result;
      box?.done();
      if (ran.notStarted !== undefined) return { status: 'failed', reason: ran.notStarted };
      if (ran.timedOut)
        return { status: 'failed', reason: `it took longer than ${timeoutMs / 1000} seconds.` };
      if (ran.exitCode === null) return { status: 'failed', reason: 'it was interrupted.' };
      return { status: 'ok', output: ran.output, exitCode: ran.exitCode };
    } finally {
      await shell.close();
    }
  };
};
