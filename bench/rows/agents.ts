import { peakMegabytes } from '../../test/support/processes.ts';
import type { Answer } from '../model.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { alternate, medianOf } from '../stats.ts';
import { headless } from './headless.ts';

const AGENTS = 10;
const ROUNDS = 3;
const done: Answer = { blocks: [{ type: 'text', text: 'Done.' }] };
const use = (name: string, input: object) =>
  ({ type: 'tool_use', name, json: JSON.stringify(input) }) as const;

/** Stands in the parent's system prompt alone. */
const PARENT = 'Start the children';
const rounds = (body: string): number => body.split('"tool_result"').length - 1;

/** Milliseconds from the reply that starts the agents to the request with their results, and the memory at its end. */
const crew = async (bench: Bench, count: number) => {
  let began = 0;
  let ended = 0;
  let pid = 0;
  let memory = 0;
  bench.model.play((_, body): Answer => {
    if (!body.includes(PARENT))
      return rounds(body) < ROUNDS - 1 ? { blocks: [use('Bash', { command: 'true' })] } : done;
    if (rounds(body) > 0 || count === 0) {
      ended = performance.now();
      memory = peakMegabytes(pid) ?? 0;
      return done;
    }
    began = performance.now();
    return {
      blocks: Array.from({ length: count }, (_, index) =>
        use('AgentTool', { prompt: `Count, child ${index}.`, description: 'Count to three' }),
      ),
    };
  });
  await runProgram(bench.place, headless(bench, '--append-system-prompt', PARENT), (started) => {
    pid = started;
  });
  return { ms: ended - began, memory };
};

/** As many commands as the agents run, one after the other. */
const COMMANDS = AGENTS * (ROUNDS - 1);
const commands = async ({ place, node, floors }: Bench) => {
  const { output } = await runProgram(place, [node, floors.spawn, String(COMMANDS)]);
  const times = JSON.parse(output) as number[];
  return { ms: times.reduce((sum, one) => sum + one, 0), memory: 0 };
};

export const agents: Measurement = {
  name: 'agents',
  about: 'ten sub-agents side by side, three rounds each',
  async run(bench) {
    const runs = await alternate(bench.quick ? 2 : 8, {
      spawn: () => commands(bench),
      none: () => crew(bench, 0),
      ten: () => crew(bench, AGENTS),
    });
    return [
      {
        what: `${AGENTS} sub-agents in parallel, ${ROUNDS} rounds each`,
        unit: 'ms',
        floors: { spawn: medianOf(runs.spawn, 'ms') },
        ours: medianOf(runs.ten, 'ms'),
        // The goals of 700 and 350 ms were set where a command takes 1.5 ms.
        foundation: { times: 700 / (COMMANDS * 1.5) },
        target: { times: 350 / (COMMANDS * 1.5) },
      },
      {
        what: 'memory of a sub-agent',
        unit: 'MB',
        floors: {},
        ours: (medianOf(runs.ten, 'memory') - medianOf(runs.none, 'memory')) / AGENTS,
        target: { at: 3 },
      },
    ];
  },
};
