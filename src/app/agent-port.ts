/** The agents of one conversation, for its screen. */
import type { AgentPort } from '../contract/screen.ts';
import { notRunning, type Place, speakTo } from './speak-to.ts';

export const agentPort = (place: Place): AgentPort => {
  const { agents } = place.root;
  return {
    list: () => agents.list(),
    stop: async (id) => {
      const done = await agents.stop(id);
      const agent = agents.list().find((one) => one.id === id);
      return 'stopped' in done
        ? `Stopped ${agent?.name ?? agent?.label ?? id}.`
        : ((await notRunning(place, id)) ?? done.refused);
    },
    steer: (id, text) => speakTo(place, id, text),
  };
};
