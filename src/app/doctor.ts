import { type DoctorCheck, ok } from './doctor-check.ts';
import { type Configured, configurationChecks } from './doctor-configuration.ts';
import { programChecks } from './doctor-programs.ts';
import { serverChecks } from './doctor-servers.ts';
import type { ServerHouse } from './server-house.ts';

interface Examined extends Configured {
  readonly servers: ServerHouse;
}

/** What is configured, from where, what is wrong and how to mend it. No connection is made unless `online`. */
export const examine = async (
  at: Examined,
  reach: 'offline' | 'online' = 'offline',
): Promise<readonly DoctorCheck[]> => [
  ...(await programChecks(at.world)),
  ...(await configurationChecks(at, reach === 'online')),
  ...(await serverChecks(at.world, at.servers)),
  ok('telemetry', 'none: connections go to the model and where you send them'),
];
