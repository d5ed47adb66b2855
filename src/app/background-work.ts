/** Commands and agents that run on, as one list of background work. */
import type { Agents } from '../contract/agent.ts';
import type { BackgroundItem, BackgroundWork } from '../contract/background.ts';
import { sameName } from '../contract/team.ts';

const statusOf = {
  running: 'running',
  waiting: 'running',
  done: 'completed',
  failed: 'failed',
  stopped: 'stopped',
} as const;

export const agentWork = (agents: () => Agents): BackgroundWork => {
  const find = (id: string) => {
    const all = agents().list();
    return (
      all.find((one) => one.id === id) ??
      all.findLast((one) => one.name !== undefined && sameName(one.name, id))
    );
  };
  const get = (id: string): BackgroundItem | undefined => {
    const agent = find(id);
    return (
      agent && {
        id: agent.id,
        kind: 'agent',
        label: agent.label,
        status: statusOf[agent.status],
        outputFile: agent.output,
      }
    );
  };
  return {
    get,
    ids: () =>
      agents()
        .list()
        .map((agent) => agent.id),
    stop: (id) => agents().stop(id),
    wait: (id, timeoutMs, signal) => agents().wait(id, timeoutMs, signal),
  };
};

/** The first list that knows an id answers for it. */
export const joined = (...lists: readonly BackgroundWork[]): BackgroundWork => {
  const owner = (id: string) => lists.find((list) => list.get(id) !== undefined);
  return {
    get: (id) => owner(id)?.get(id),
    ids: () => lists.flatMap((list) => list.ids()),
    stop: async (id) => (await owner(id)?.stop(id)) ?? { refused: `Nothing is known as ${id}.` },
    wait: async (id, timeoutMs, signal) => owner(id)?.wait(id, timeoutMs, signal),
  };
};
