/** A file of its own: the library is CommonJS, whose names only a static import finds in the bundle. */
import { Agent, EnvHttpProxyAgent, fetch } from 'undici';

export const createAgent = (options: EnvHttpProxyAgent.Options): EnvHttpProxyAgent =>
  new EnvHttpProxyAgent(options);
export const createDirect = (options: Agent.Options): Agent => new Agent(options);
export const send = fetch;
