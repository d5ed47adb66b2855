/** What `/skills`, `/agents` and `/plugin` stand on. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentShelf } from '../commands/agent-shelf.ts';
import type { PluginShelf } from '../commands/plugin.ts';
import type { SkillShelf } from '../commands/skills.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { errorText } from '../lib/error-text.ts';
import { PROJECT_HOME } from '../settings/home.ts';
import type { Library } from './library.ts';
import type { PluginHouse } from './plugin-house.ts';
import { pluginRows } from './plugin-rows.ts';
import type { ServerHouse } from './server-house.ts';
import type { World } from './world.ts';

export const skillShelf = (library: Library): SkillShelf => ({
  skills: library.skills,
  definitions: library.catalog.definitions,
  read: library.read,
  async reload() {
    const { added, removed, changed } = await library.catalog.refresh();
    return [
      ...added.map((name) => `New: ${name}`),
      ...removed.map((name) => `Gone: ${name}`),
      ...changed.map((name) => `Changed: ${name}`),
    ];
  },
});

export interface PluginShelfDeps {
  readonly world: World;
  readonly plugins: PluginHouse;
  readonly servers: ServerHouse;
  readonly library: Library;
}

export const pluginShelf = (
  { world, plugins, servers, library }: PluginShelfDeps,
  accept: () => Promise<boolean>,
): PluginShelf => ({
  rows: () => pluginRows(plugins, world.trust.trusted),
  problems: plugins.problems,
  async reload() {
    const stands = await world.accepted.rootStands();
    if (!stands && !(await accept())) return;
    await plugins.reload();
    await Promise.all([servers.reload(), library.catalog.refresh()]);
  },
});

export const agentShelf = (
  world: World,
  library: Library,
  edit?: (path: string) => Promise<string | undefined>,
): AgentShelf => ({
  ...(edit
    ? {
        async edit(path) {
          const failed = await edit(path);
          await library.catalog.refresh();
          return failed;
        },
      }
    : {}),
  agents: library.agents,
  read: library.read,
  definitions: library.catalog.definitions,
  folders: {
    project: join(world.project, PROJECT_HOME, 'agents'),
    ...(world.homes.own ? { user: join(world.homes.own, 'agents') } : {}),
  },
  async write(path, content) {
    try {
      await ensureFolder(dirname(path));
      await writeFile(path, content, { flag: 'wx' });
      await library.catalog.refresh();
      return undefined;
    } catch (error) {
      const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      return exists
        ? `${path} is there already; edit it.`
        : `${path} could not be written: ${errorText(error)}`;
    }
  },
});
