/** The agents of one conversation, for its screen. */
import type { AgentPort } from '../contract/screen.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import { speakTo } from './speak-to.ts';

export const agentPort = (house: House, root: Root): AgentPort => ({
  list: () => root.agents.list(),
  stop: async (id) => {
    const done = await root.agents.stop(id);
    return 'stopped' in done ? `Stopped ${done.stopped}.` : done.refused;
  },
  steer: (id, text) => speakTo({ house, root }, id, text),
});
