import type { Judgement, PermissionCall, PermissionWorld, Rule } from '../contract/permission.ts';
import { inside, pathLaw } from './path-rules.ts';
import { namesTool } from './rule.ts';
import { specCovers } from './spec-match.ts';
import { allowed, asked, denied, planRefusal } from './verdicts.ts';

/** Tools that only coordinate or ask a person themselves: they need no question of their own, in plan mode neither. */
const coordinating: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'AgentTool',
  'SkillTool',
  'TaskCreateTool',
  'TaskUpdateTool',
  'TaskGetTool',
  'TaskListTool',
  'TaskStopTool',
  'TaskOutputTool',
  'SendMessageTool',
  'TeamCreateTool',
  'TeamDeleteTool',
  'EnterPlanModeTool',
  'ExitPlanModeTool',
  'ListMcpResourcesTool',
]);

/** Judges every tool that has neither a command nor a file of its own. */
export const judgeOther = (call: PermissionCall, world: PermissionWorld): Judgement => {
  const subject = subjectOf(call);
  const ruleOf = (behavior: Rule['behavior']) =>
    world.rules.find(
      (rule) =>
        rule.behavior === behavior &&
        namesTool(rule, call.tool) &&
        (rule.spec === undefined || specCovers(rule, call)),
    );
  const denial = ruleOf('deny');
  if (denial) return denied(denial, subject);
  const rule = ruleOf('allow');
  if (world.mode === 'plan' && !fitsPlan(call, rule)) return planRefusal(subject);
  const question = ruleOf('ask');
  if (question)
    return asked(`The rule ${question.text} asks about ${subject}.`, { rule: question, subject, firm: true });
  if (call.tool === 'ExitWorktreeTool' && call.input.discard_changes === true && !rule) {
    return asked('It takes away work that is only in the worktree. It is saved first, for 30 days.', {
      subject,
      firm: true,
    });
  }
  if (world.mode === 'bypassPermissions')
    return allowed('The mode bypassPermissions allows it.', 'mode', subject);
  if (rule) return allowed(`The rule ${rule.text} allows it.`, 'rule', subject, rule);
  const strayed = strayCwd(call, world);
  if (strayed) return asked(`The agent would work in ${strayed}, outside the workspace.`, { subject });
  if (coordinating.has(call.tool) || /^(Enter|Exit)WorktreeTool$/.test(call.tool))
    return allowed('The tool only coordinates work.', 'default', subject);
  if (call.readOnly === true && !call.tool.startsWith('mcp__'))
    return allowed('The tool only reads.', 'default', subject);
  return asked(`No rule allows ${subject}.`, { subject, suggestion: suggestionFor(call) });
};

/** In plan mode a tool must change nothing; a new worktree is a change. */
const fitsPlan = (call: PermissionCall, rule: Rule | undefined): boolean => {
  // A server's word that its tool only reads is no proof; it counts where the person allowed the tool too.
  if (call.tool.startsWith('mcp__')) return call.readOnly === true && rule !== undefined;
  if (call.tool === 'AgentTool') return call.input.isolation === undefined;
  return (
    coordinating.has(call.tool) ||
    ['WebFetch', 'WebSearch', 'ReadMcpResourceTool'].includes(call.tool) ||
    call.readOnly === true
  );
};

const strayCwd = (call: PermissionCall, world: PermissionWorld): string | undefined => {
  const { cwd } = call.input;
  if (call.tool !== 'AgentTool' || typeof cwd !== 'string') return undefined;
  const law = pathLaw(world);
  const access = law.resolve(cwd, world.cwd);
  return access && inside(law, access) ? undefined : cwd;
};

const subjectOf = ({ tool, input }: PermissionCall): string => {
  const detail = input.url ?? input.subagent_type ?? input.skill ?? input.query;
  return typeof detail === 'string' ? `${tool} ${detail}` : tool;
};

const suggestionFor = (call: PermissionCall): string | undefined => {
  if (call.tool !== 'WebFetch') return call.tool;
  const host = hostOf(call.input.url);
  return host && /^[a-z0-9.-]+$/.test(host) ? `WebFetch(domain:${host})` : undefined;
};

const hostOf = (url: unknown): string | undefined => {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  return parsed?.hostname.replace(/\.$/, '').toLowerCase();
};
