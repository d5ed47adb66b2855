/** Commands inside skills: judged by the permission engine, never asked about, run as Bash runs them. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { InlineRun, RenderPorts } from '../catalog/render.ts';
import type { Judgement } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import { inherited } from '../hooks/environment.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { createShell } from '../shell/run.ts';
import type { World } from './world.ts';

export interface InlineShellDeps {
  readonly world: World;
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

export const inlineShell = ({ world, judge, outputs }: InlineShellDeps): RenderPorts['runShell'] => {
  return async (command, { state, signal, allow, timeoutMs }): Promise<InlineRun> => {
    const judged = judge({ tool: 'Bash', input: { command }, readOnly: false }, allowing(state, allow));
    if (judged.decision !== 'allow') return { status: 'refused', reason: judged.reason.replace(/\.$/, '') };
    const shell = createShell({ path: world.host.env.PATH ?? '' });
    try {
      const outputFile = join(await outputs(state), `skill-${randomBytes(6).toString('hex')}.txt`);
      const env = inherited(world.env(), world.loaded().settings.passCredentials ?? []);
      const ran = await shell.start({ command, cwd: state.cwd, env, timeoutMs, outputFile, signal }).result;
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
