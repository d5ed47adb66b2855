/** What comes of a hook that was put to somebody else, a server or a model, and says nothing of its own. */
import { noVerdict } from '../contract/hook.ts';
import type { Ran } from './runner.ts';

export const unsaid = { exitCode: null, stdout: '', stderr: '', verdict: noVerdict } as const;

/** No answer came: `name` is the hook, `why` goes on from it. */
export const noAnswer = (name: string, outcome: Ran['outcome'], why: string): Ran => ({
  ...unsaid,
  outcome,
  stderr: why,
  notices: [`${name} ${why}`],
  unsure: `${name} ${why}`,
});
