import { readFileSync } from 'node:fs';
import type { Mode } from '../../src/contract/mode.ts';
import type { Judgement, PermissionWorld } from '../../src/contract/permission.ts';
import { judge } from '../../src/permission/judge.ts';
import { parseRules, type RuleTexts } from '../../src/permission/rule.ts';

/** The fixed world of the case files. */
export const world = (rules: RuleTexts = {}, more: Partial<PermissionWorld> = {}): PermissionWorld => ({
  rules: parseRules(rules, { source: 'flag' }).rules,
  mode: 'default',
  cwd: '/srv/proj',
  home: '/home/u',
  project: '/srv/proj',
  directories: [],
  gitReadOnly: false,
  readLink: () => undefined,
  ...more,
});

export const linked =
  (links: Readonly<Record<string, string>> = {}): PermissionWorld['readLink'] =>
  (path) =>
    links[path];

export const bash = (
  command: string,
  rules: RuleTexts = {},
  more: Partial<PermissionWorld> = {},
): Judgement => judge({ tool: 'Bash', input: { command } }, world(rules, more));

export interface Case {
  readonly id: string;
  readonly level: string;
  readonly rules: RuleTexts;
  readonly tool: string;
  readonly input: Record<string, unknown>;
  readonly cwd: string;
  readonly mode?: Mode;
  readonly links?: Readonly<Record<string, string>>;
  readonly expect: string;
  readonly also_ok?: readonly string[];
}

export const jsonLines = <T>(name: string): readonly T[] =>
  readFileSync(new URL(`../cases/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
