import type { Judgement, PermissionCall, PermissionWorld } from '../contract/permission.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { errorText } from '../lib/error-text.ts';
import { judgeBash } from './judge-bash.ts';
import { judgeFile, judgeSearch } from './judge-file.ts';
import { judgeOther } from './judge-other.ts';
import { judgeParameters } from './spec-match.ts';
import { asked } from './verdicts.ts';

/**
 * The one gate: judges a tool call. Pure but for `world.readLink`. Hooks come before it and are folded in with
 * `withHook`; a mode that never asks turns the last question into a no.
 */
export const judge = (call: PermissionCall, world: PermissionWorld): Judgement => {
  const judgement = judgedSafely({ ...call, tool: canonicalName(call.tool) }, world);
  const sandboxed = judgement.decision === 'ask' && !judgement.firm && judgement.by === 'default';
  if (
    sandboxed &&
    world.sandboxedBash &&
    call.tool === 'Bash' &&
    call.input.dangerouslyDisableSandbox !== true
  ) {
    return {
      ...judgement,
      decision: 'allow',
      by: 'mode',
      reason: 'It runs inside the sandbox.',
      suggestions: [],
    };
  }
  if (judgement.decision === 'ask' && world.mode === 'dontAsk') {
    return {
      ...judgement,
      decision: 'deny',
      by: 'mode',
      reason: `The mode dontAsk asks nobody. ${judgement.reason}`,
      suggestions: [],
    };
  }
  return judgement;
};

/** A fault of the engine itself must never let a call through. */
const judgedSafely = (call: PermissionCall, world: PermissionWorld): Judgement => {
  try {
    return judgeByTool(call, world);
  } catch (error) {
    const what = errorText(error);
    return asked(`The call could not be judged: ${what}.`, {
      subject: call.tool,
      firm: true,
      unanalysable: what,
    });
  }
};

const judgeByTool = (call: PermissionCall, world: PermissionWorld): Judgement => {
  const byParameter = judgeParameters(call, world);
  if (byParameter?.decision === 'deny') return byParameter;
  const judgement = judgeByKind(call, world);
  return judgement.decision === 'deny' || !byParameter ? judgement : byParameter;
};

const judgeByKind = (call: PermissionCall, world: PermissionWorld): Judgement => {
  switch (call.tool) {
    case 'Bash':
      return judgeBash(typeof call.input.command === 'string' ? call.input.command : '\u0000', world);
    case 'Read':
      return judgeFile(call, 'read', world);
    case 'Edit':
    case 'Write':
    case 'NotebookEdit':
      return judgeFile(call, 'write', world);
    case 'Glob':
    case 'Grep':
      return judgeSearch(call, world);
    default:
      return judgeOther(call, world);
  }
};
