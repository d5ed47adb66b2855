import type { Judgement, PermissionCall, PermissionWorld, Rule } from '../contract/permission.ts';
import { namesTool } from './rule.ts';
import { asked, denied } from './verdicts.ts';
import { ANY, fromStars, matches, meets } from './wildcard.ts';

/** What stands in the brackets, for tools without command or file: a domain, an agent type, a skill, a server's tool. */
export const specCovers = (rule: Rule, call: PermissionCall): boolean => {
  const spec = rule.spec ?? '';
  switch (call.tool) {
    case 'WebFetch':
      return spec.startsWith('domain:') && domainCovers(spec.slice('domain:'.length), call.input.url);
    case 'AgentTool':
      return typeCovers(rule, spec, call.input.subagent_type);
    case 'SkillTool':
      return skillCovers(rule, spec, call.input);
    default:
      return false;
  }
};

/** Hosts compare whole and without case. `*.x` is any depth below x but not x; another `*` stays in one label. */
export const domainCovers = (pattern: string, url: unknown): boolean => {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return false;
  const host = parsed.hostname.replace(/\.$/, '').toLowerCase();
  const wanted = inAscii(pattern.trim().toLowerCase().replace(/\.$/, ''));
  if (wanted === '*') return true;
  const deep = wanted.startsWith('*.');
  const labels = (text: string) => text.replaceAll('*', '\uE001').replaceAll('.', '/');
  const tail = labels(deep ? wanted.slice(2) : wanted);
  const name = host.replaceAll('.', '/');
  return deep ? meets(`${ANY}/${tail}`, name) && !name.startsWith('/') : meets(tail, name);
};

/** The spelling that a parsed address has: `münchen.de` is `xn--mnchen-3ya.de`. */
const inAscii = (host: string): string =>
  host
    .split('.')
    .map((label) =>
      /[^\0-\x7f]/.test(label) && !label.includes('*') && URL.canParse(`http://${label}`)
        ? new URL(`http://${label}`).hostname
        : label,
    )
    .join('.');

const typeCovers = (rule: Rule, spec: string, type: unknown): boolean => {
  const name = typeof type === 'string' && type !== '' ? type : 'general-purpose';
  return rule.behavior === 'allow'
    ? spec === name
    : matches(fromStars(spec.toLowerCase()), name.toLowerCase());
};

const bareSkill = (text: string): string => text.trim().replace(/^\/+/, '');

const skillCovers = (rule: Rule, spec: string, input: PermissionCall['input']): boolean => {
  const named = input.skill ?? input.command ?? input.name;
  if (typeof named !== 'string') return false;
  const [name = '', ...rest] = bareSkill(named).split(/\s+/);
  const args = [rest.join(' '), typeof input.args === 'string' ? input.args.trim() : '']
    .filter((text) => text !== '')
    .join(' ');
  const wanted = bareSkill(spec).replace(/:\*$/, ' *');
  const text = args === '' ? name : `${name} ${args}`;
  if (wanted.endsWith(' *'))
    return matches(fromStars(wanted.slice(0, -2)), name) || matches(fromStars(wanted), text);
  return rule.behavior === 'allow'
    ? matches(fromStars(wanted), text)
    : matches(fromStars(wanted), name) || matches(fromStars(wanted), text);
};

/** Inputs that rules of their own speak about, never `Tool(param:value)`. */
const ownSyntax: ReadonlySet<string> = new Set([
  'command',
  'file_path',
  'path',
  'url',
  'notebook_path',
  'domain',
]);

/** Deny and ask rules of the form `Tool(param:value)` on top-level plain inputs; undefined if none speaks. */
export const judgeParameters = (call: PermissionCall, world: PermissionWorld): Judgement | undefined => {
  const found = (behavior: Rule['behavior']) =>
    world.rules.find(
      (rule) => rule.behavior === behavior && namesTool(rule, call.tool) && parameterMatches(rule, call),
    );
  const denial = found('deny');
  if (denial) return denied(denial, call.tool);
  const question = found('ask');
  return (
    question &&
    asked(`The rule ${question.text} asks about this call of ${call.tool}.`, {
      rule: question,
      subject: call.tool,
      firm: true,
    })
  );
};

export const parameterMatches = (rule: Rule, call: PermissionCall): boolean => {
  const shape = /^([A-Za-z_]\w*):([\s\S]*)$/.exec(rule.spec ?? '');
  const name = shape?.[1];
  if (name === undefined || ownSyntax.has(name) || !Object.hasOwn(call.input, name)) return false;
  const value = call.input[name];
  const plain = ['string', 'number', 'boolean'].includes(typeof value);
  return plain && matches(fromStars((shape?.[2] ?? '').trim()), String(value));
};
