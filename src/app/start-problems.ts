import type { SessionState } from '../contract/state.ts';
import type { House } from './house.ts';

/** What is wrong with rules, hooks, plugins and servers as configured: a sentence each, told once at the start. */
export const startProblems = (house: House, state: SessionState): readonly string[] => {
  house.gate.rules(state);
  return [
    ...house.gate.problems().map((one) => `${one.file ?? one.source}: ${one.problem}`),
    ...house.hookHouse.problems().map((one) => `${one.path}: ${one.place}: ${one.text}`),
    ...house.plugins.problems(),
    ...house.servers.problems(),
  ];
};
