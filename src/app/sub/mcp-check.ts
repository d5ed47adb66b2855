/** `coppice mcp check [NAME]`: starts the servers that would start here, says what each answers, and ends them. */
import type { ServerState } from '../../contract/server.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Flags } from '../flags.ts';
import type { Host } from '../host.ts';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const lineOf = (state: ServerState): string => {
  const { name, status, error, tools, toolsLeftOut, prompts, resources } = state;
  if (status !== 'connected') return `${name}  ${status}${error ? `: ${error}` : ''}`;
  const more = toolsLeftOut > 0 ? ` (${toolsLeftOut} more are not offered)` : '';
  return `${name}  connected: ${counted(tools.length, 'tool')}${more}, ${counted(prompts.length, 'prompt')}, ${counted(resources, 'resource')}`;
};

/** Exit code: 0 when all that may start are connected (ruling 50). */
export const checkServers = async (host: Host, flags: Flags, name: string | undefined): Promise<0 | 1> => {
  const { quietHouse } = await import('../quiet-house.ts');
  const house = await quietHouse(host, flags);
  const { configs, problems } = await house.servers.configured();
  for (const problem of problems) host.tell(`${safeText(problem)}\n`);
  const wanted = configs.filter((one) => name === undefined || one.name === name);
  if (wanted.length === 0)
    host.tell(
      `${
        name === undefined
          ? 'No tool servers are configured here'
          : `coppice: There is no server named ${name}. The servers are: ${configs.map((one) => one.name).join(', ') || 'none'}`
      }${house.world.trust.trusted ? '' : '; those of this folder wait until it is trusted (--trust, coppice trust)'}.\n`,
    );
  const servers = house.servers.own(wanted);
  await servers.settled();
  const states = servers.states();
  for (const state of states) host.print(`${safeText(lineOf(state))}\n`);
  await Promise.all([servers.close(), house.close()]);
  const bad = states.some(({ status }) => status !== 'connected' && status !== 'disabled');
  return bad || (name !== undefined && states.length === 0) ? 1 : 0;
};
