import type { AgentDefinition } from '../contract/agent.ts';
import type { Rule } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import { parseRule } from '../permission/rule.ts';

/** Rules of skills in force and of the definitions of an agent and those above it (`line`). */
export const grantedRules = (
  { project, inForce: skills }: SessionState,
  line: readonly AgentDefinition[],
): readonly Rule[] => {
  const at = { source: 'session' as const, anchor: project };
  const inForce = skills?.ahead ? undefined : skills;
  const denied = [...(inForce?.deny ?? []), ...line.flatMap(({ disallowedTools = [] }) => disallowedTools)];
  return [
    ...(inForce?.allow ?? []).flatMap((text) => parseRule(text, 'allow', at).rule ?? []),
    ...denied.flatMap((text) => parseRule(text, 'deny', at).rule ?? []),
  ];
};
