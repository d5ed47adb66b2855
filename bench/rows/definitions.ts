import { type Place, place } from '../place.ts';
import { openPty } from '../pty.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, medianOf } from '../stats.ts';
import { headless } from './headless.ts';
import { ATTACHED } from './start.ts';

const SKILLS = 2000;
const AGENTS = 1000;
/** A letter that no screen shows by itself. */
const KEY = 'Ψ';

/** As people publish them: a third is no strict YAML, bodies of 3 KB. Those of a project are also read for what they could run. */
const fill = (where: Place, home: 'home' | 'project'): void => {
  const body = 'Look at the code that the change touches, and at what calls it.\n'.repeat(50);
  const text = (name: string, n: number): string => {
    const description = `Does part ${n} of the work${n % 3 === 0 ? '. Use when: it is time, or "asked"' : ' when it is asked for'}`;
    return `---\nname: ${name}\ndescription: ${description}\n${n % 2 === 0 ? 'allowed-tools: Read, Bash(git log *)\n' : ''}---\n\n${body}`;
  };
  for (let n = 0; n < SKILLS; n += 1)
    where.write(`${home}/.claude/skills/skill-${n}/SKILL.md`, text(`skill-${n}`, n));
  for (let n = 0; n < AGENTS; n += 1)
    where.write(`${home}/.claude/agents/agent-${n}.md`, text(`agent-${n}`, n));
};

/** From the start to the first key on the screen, and to the whole screen. */
const opened = async (bench: Bench, where: Place) => {
  await using pty = await openPty(where, bench.coppice, KEY);
  const key = (await pty.seen(() => pty.shows(KEY))) - pty.started;
  return { key, live: (await pty.seen(() => pty.shows(ATTACHED) && pty.shows(KEY))) - pty.started };
};

/** From the start to the first request, which names them, and to the end. */
const asked = async (bench: Bench, where: Place) => {
  bench.model.play(() => ({ blocks: [{ type: 'text', text: 'Done.' }] }));
  return runProgram(where, headless(bench));
};

export const definitions: Measurement = {
  name: 'definitions',
  about: `${SKILLS} skills and ${AGENTS} agents: reading them, and what they cost the first frame`,
  async run(bench) {
    using mine = place(bench.model.url);
    fill(mine, 'home');
    using theirs = place(bench.model.url);
    fill(theirs, 'project');
    const rounds = bench.quick ? 3 : 15;
    const runs = await alternate(rounds, {
      none: () => asked(bench, bench.place),
      mine: () => asked(bench, mine),
      theirs: () => asked(bench, theirs),
    });
    const starts = await alternate(rounds, {
      none: () => opened(bench, bench.place),
      mine: () => opened(bench, mine),
      theirs: () => opened(bench, theirs),
    });
    const what = `${SKILLS} skills and ${AGENTS} agents`;
    const none = medianOf(runs.none, 'ms');
    return [
      {
        what: `one-shot answer with ${what} of the person, more than with none`,
        unit: 'ms',
        floors: {},
        ours: medianOf(runs.mine, 'ms') - none,
        target: { at: 400 },
      },
      {
        what: `one-shot answer with ${what} of the project, more than with none`,
        unit: 'ms',
        floors: {},
        ours: medianOf(runs.theirs, 'ms') - none,
      },
      {
        what: `start to first echoed key with ${what}`,
        unit: 'ms',
        floors: { none: medianOf(starts.none, 'key') },
        ours: medianOf(starts.mine, 'key'),
        target: { times: 1.1 },
      },
      {
        what: `start to the whole screen with ${what} of the person`,
        unit: 'ms',
        floors: { none: medianOf(starts.none, 'live') },
        ours: medianOf(starts.mine, 'live'),
      },
      {
        what: `start to the whole screen with ${what} of the project, read to know what they could run`,
        unit: 'ms',
        floors: { none: medianOf(starts.none, 'live') },
        ours: medianOf(starts.theirs, 'live'),
      },
    ];
  },
};
