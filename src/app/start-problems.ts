import type { SessionState } from '../contract/state.ts';
import type { Gate } from './gate.ts';
import type { HookHouse } from './hook-house.ts';
import type { PluginHouse } from './plugin-house.ts';
import type { ServerHouse } from './server-house.ts';

interface StartDeps {
  readonly gate: Gate;
  readonly hookHouse: HookHouse;
  readonly plugins: PluginHouse;
  readonly servers: ServerHouse;
}

/** What is wrong with rules, hooks, plugins and servers as configured: a sentence each, told once at the start. */
export const startProblems = (
  { gate, hookHouse, plugins, servers }: StartDeps,
  state: SessionState,
): readonly string[] => {
  gate.rules(state);
  return [
    ...gate.problems().map((one) => `${one.file ?? one.source}: ${one.problem}`),
    ...hookHouse.problems().map((one) => `${one.path}: ${one.place}: ${one.text}`),
    ...plugins.problems(),
    ...servers.problems(),
  ];
};

/** Tool servers that a run without a person goes without. */
export const failedServers = ({ servers }: StartDeps): readonly string[] =>
  servers.servers
    .states()
    .flatMap((one) =>
      one.status === 'failed' || one.status === 'needs sign-in'
        ? [`The tool server ${one.name} (${one.target}) did not start: ${one.error ?? 'unknown error'}`]
        : [],
    );
