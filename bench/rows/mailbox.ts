import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../model.ts';
import type { Place } from '../place.ts';
import { processorSeconds } from '../process.ts';
import { openPty } from '../pty.ts';
import type { Bench, Measurement, Row } from '../row.ts';
import { ATTACHED, SETTLED_MS } from './start.ts';

const NAMES = ['ann', 'bob', 'cy'];
const use = (name: string, input: object) =>
  ({ type: 'tool_use', name, json: JSON.stringify(input) }) as const;
const say = (text: string): Answer => ({ blocks: [{ type: 'text', text }] });

/** A lead that creates a team and starts three members; everybody is done at once. */
const script = (_: number, body: string): Answer => {
  const lead = body.includes('Lead a team.');
  const rounds = body.split('"tool_result"').length - 1;
  if (!lead) return say('Ready.');
  if (rounds === 0) return { blocks: [use('TeamCreateTool', { team_name: 'crew' })] };
  if (rounds > 1) return say('All are there.');
  return {
    blocks: NAMES.map((name) =>
      use('AgentTool', {
        prompt: `You are ${name}.`,
        description: `work as ${name}`,
        name,
        team_name: 'crew',
      }),
    ),
  };
};

interface Member {
  readonly name: string;
  readonly state: string;
  readonly runs?: { readonly pid: number };
}

const members = ({ home }: Place): readonly Member[] => {
  try {
    const team: { readonly members: readonly Member[] } = JSON.parse(
      readFileSync(join(home, '.coppice/teams/crew/config.json'), 'utf8'),
    );
    return team.members.filter(({ name }) => NAMES.includes(name));
  } catch {
    return [];
  }
};

/** Share of a processor, in percent, that a lead and its members use while nobody has anything to do. */
const idle = async (bench: Bench, mode: 'in-process' | 'process') => {
  bench.model.play(script);
  const flags = ['--teammate-mode', mode, '--settings', '{"agentSwarms":true}'];
  await using pty = await openPty(bench.place, [...bench.coppice, ...flags], ' ');
  await pty.seen(() => pty.shows(ATTACHED));
  await pty.settled(600);
  pty.write('Lead a team.\r');
  const resting = () => members(bench.place).filter(({ state }) => state === 'idle').length === NAMES.length;
  await pty.seen(resting, 60_000);
  const others = members(bench.place).flatMap(({ runs }) => (runs && runs.pid !== pty.pid ? [runs.pid] : []));
  try {
    await sleep(SETTLED_MS);
    const seconds = bench.quick ? 4 : 10;
    const pids = [pty.pid, ...others];
    const before = pids.map(processorSeconds);
    await sleep(seconds * 1000);
    const shares = pids.map((pid, at) => ((processorSeconds(pid) - (before[at] ?? 0)) / seconds) * 100);
    return { lead: shares[0] ?? Number.NaN, member: Math.max(0, ...shares.slice(1)) };
  } finally {
    for (const pid of others) process.kill(pid, 'SIGKILL');
    bench.place.remove('home/.coppice/teams');
  }
};

export const mailbox: Measurement = {
  name: 'mailbox',
  about: 'processor of a team without anything to do',
  async run(bench) {
    const beside = await idle(bench, 'in-process');
    const apart = await idle(bench, 'process');
    const row = (what: string, ours: number): Row => ({
      what: `idle processor share, ${what}`,
      unit: '%',
      floors: {},
      ours,
      foundation: { at: 1 },
      target: { at: 1 },
    });
    return [
      row('a lead with three members beside it', beside.lead),
      row('a lead with three processes', apart.lead),
      row('the busiest of three idle processes', apart.member),
    ];
  },
};
