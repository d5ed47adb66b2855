/** What a skill's `@` may bring into the conversation: nobody is asked, so no more than Read may read unasked. */
import { leadsOut, realFolders } from '../catalog/leads-out.ts';
import type { RenderPorts } from '../catalog/render.ts';
import type { Judgement } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import { realOf } from '../lib/folders-below.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { type MentionDeps, mentionDeps } from './expand-mentions.ts';
import type { World } from './world.ts';

type From = Parameters<RenderPorts['attach']>[1];

/** Files that come from elsewhere than the person: what they name is not what the person named. */
const isForeign = ({ skill }: From): boolean => skill.source === 'project' || skill.source === 'plugin';

export const attachments = (
  world: Pick<World, 'homes'>,
  judge: (call: JudgedCall, state: SessionState) => Judgement,
  from: From,
): MentionDeps => ({
  ...mentionDeps(world, judge),
  forbidden(path, state) {
    const judgement = judge({ tool: 'Read', input: { file_path: path }, readOnly: true }, state);
    const ofPlugin = from.plugin !== undefined && !leadsOut(realOf(path), realFolders([from.plugin.root]));
    const open =
      !isForeign(from) || ofPlugin ? judgement.decision !== 'deny' : judgement.decision === 'allow';
    return open ? undefined : judgement.reason;
  },
});
