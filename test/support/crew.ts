/** A scripted lead and its teammates, as seen by the model server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Received } from './received.ts';
import { use } from './replies.ts';
import type { TempRepo } from './repo.ts';

/** A teammate's first words, by which its requests are known. */
const wordsOf = (name: string): string => `You are ${name}.`;

/** Requests of the teammate of this name. Its lead is told to `Lead a team.` */
export const isMate =
  (name: string) =>
  ({ raw }: Received): boolean =>
    raw.includes(wordsOf(name)) && !raw.includes('Lead a team.');

export const isLead = ({ raw }: Received): boolean => raw.includes('Lead a team.');

/** AgentTool for a teammate in the team `crew`. */
export const startMate = (name: string, more: object = {}) =>
  use('AgentTool', {
    prompt: wordsOf(name),
    description: `work as ${name}`,
    name,
    team_name: 'crew',
    ...more,
  });

export interface StoredMember {
  readonly name: string;
  readonly session: string;
  readonly state: string;
  readonly cwd: string;
  readonly transcript?: string;
  readonly error?: string;
  readonly runs?: { readonly pid: number };
}

/** Members of the team `crew` as its file says. */
export const membersOf = (place: Pick<TempRepo, 'state'>): readonly StoredMember[] =>
  JSON.parse(readFileSync(join(place.state, 'teams', 'crew', 'config.json'), 'utf8')).members;

export const memberOf = (place: Pick<TempRepo, 'state'>, name: string): StoredMember | undefined =>
  membersOf(place).find((one) => one.name === name);

/** The id of the latest request of a kind that a request carries: `shutdown-123@ann`. */
export const requestIdIn = ({ raw }: Received, kind: 'shutdown' | 'plan', name: string): string =>
  [...raw.matchAll(new RegExp(`${kind}-\\d+@${name}`, 'g'))].at(-1)?.[0] ?? 'none';
