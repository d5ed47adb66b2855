/** A file of its own: the library is CommonJS, whose names only a static import finds in the bundle. */
import { EnvHttpProxyAgent, fetch } from 'undici';

export const createAgent = (options: EnvHttpProxyAgent.Options): EnvHttpProxyAgent =>
  new EnvHttpProxyAgent(options);
export const send = fetch;
