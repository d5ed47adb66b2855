/** A scripted lead and its teammates, as seen by the model server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Received } from './received.ts';
import { type Block, gate, say, use } from './replies.ts';
import type { TempRepo } from './repo.ts';
import type { Scene } from './scene.ts';

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

/**
 * A lead without a person creates the team, starts these members in processes of their own, and is killed as soon as
 * `when` says so: they outlive it.
 */
export const killedLead = async (
  on: Pick<Scene, 'server' | 'start'>,
  names: readonly string[],
  when: () => Promise<unknown>,
  {
    before = [],
    flags = [],
  }: { readonly before?: readonly Block[]; readonly flags?: readonly string[] } = {},
): Promise<void> => {
  const held = gate();
  on.server.lane(
    isLead,
    [use('TeamCreateTool', { team_name: 'crew' }), ...before],
    names.map((name) => startMate(name)),
    async () => {
      await held.opened;
      return say('Nobody hears this.');
    },
  );
  const lead = on.start(['-p', 'Lead a team.', '--teammate-mode', 'process', ...flags]);
  lead.endInput();
  await when();
  lead.kill('SIGKILL');
  await lead.ended;
  held.open();
};

export interface StoredMember {
  readonly name: string;
  readonly session: string;
  readonly state: string;
  readonly cwd: string;
  readonly color?: string;
  readonly transcript?: string;
  readonly error?: string;
  readonly runs?: { readonly pid: number };
}

/** Members of the team `crew` as its file says; none where there is no team. */
export const membersOf = (place: Pick<TempRepo, 'state'>): readonly StoredMember[] => {
  const path = join(place.state, 'teams', 'crew', 'config.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).members : [];
};

export const memberOf = (place: Pick<TempRepo, 'state'>, name: string): StoredMember | undefined =>
  membersOf(place).find((one) => one.name === name);

/** The id of the latest request of a kind that a request carries: `shutdown-123@ann`. */
export const requestIdIn = ({ raw }: Received, kind: 'shutdown' | 'plan', name: string): string =>
  [...raw.matchAll(new RegExp(`${kind}-\\d+@${name}`, 'g'))].at(-1)?.[0] ?? 'none';
