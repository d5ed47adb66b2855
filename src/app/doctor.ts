import { type DoctorCheck, ok } from './doctor-check.ts';
import { configurationChecks } from './doctor-configuration.ts';
import { programChecks } from './doctor-programs.ts';
import { serverChecks } from './doctor-servers.ts';
import type { House } from './house.ts';

/** What is configured, from where, what is wrong and how to mend it. No connection is made unless `online`. */
export const examine = async (
  house: House,
  reach: 'offline' | 'online' = 'offline',
): Promise<readonly DoctorCheck[]> => [
  ...(await programChecks(house)),
  ...(await configurationChecks(house, reach === 'online')),
  ...(await serverChecks(house)),
  ok('telemetry', 'none: connections go to the model and where you send them'),
];
