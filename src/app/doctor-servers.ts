/** Tool servers as configured: which would start, which wait, whose program is missing. None is started. */
import { constants } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { ServerConfig } from '../contract/server.ts';
import { isThere } from '../lib/is-there.ts';
import { onPath } from '../lib/on-path.ts';
import { targetOf } from '../servers/config.ts';
import { type DoctorCheck, ok, warn } from './doctor-check.ts';
import type { ServerHouse } from './server-house.ts';
import { mcpFile } from './server-sources.ts';
import type { World } from './world.ts';

const CHECK = 'tool servers';

const examineOne = async (config: ServerConfig, world: World): Promise<readonly DoctorCheck[]> => {
  const { name, source } = config;
  if (config.held === 'disabled') return [ok(CHECK, `${name} is switched off (${source})`)];
  if (config.held === 'needs approval')
    return [
      warn(
        CHECK,
        `${name} (${source}) is new since this folder was trusted: ${targetOf(config)}`,
        `Start coppice and type /mcp enable ${name}, or leave it off.`,
      ),
    ];
  if (config.type !== 'stdio') return [];
  const { command } = config;
  const cwd = config.cwd ?? world.project;
  const found = command.includes('/')
    ? await isThere(isAbsolute(command) ? command : resolve(cwd, command), constants.X_OK)
    : await onPath(command, config.env.PATH ?? world.env().PATH ?? '');
  return found
    ? []
    : [
        warn(
          CHECK,
          `${name}: ${command} ${command.includes('/') ? 'cannot be run' : 'is not on PATH'}`,
          `Install it, or correct the command in ${source}.`,
        ),
      ];
};

export const serverChecks = async (world: World, servers: ServerHouse): Promise<readonly DoctorCheck[]> => {
  const { configs, problems } = await servers.configured();
  const waits = !world.trust.trusted && (await isThere(mcpFile(world.project)));
  const names = configs.map(({ name, type }) => `${name} (${type})`).join(', ');
  return [
    ok(
      CHECK,
      `${names === '' ? 'none configured' : names}${waits ? `; ${mcpFile(world.project)} counts once the folder is trusted` : ''}`,
    ),
    ...(await Promise.all(configs.map((config) => examineOne(config, world)))).flat(),
    ...problems.map((text) => warn(CHECK, text, `Correct ${text.split(':', 1)[0]}.`)),
  ];
};
