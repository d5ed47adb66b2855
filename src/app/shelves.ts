/** What `/skills`, `/agents` and `/plugin` stand on. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentShelf } from '../commands/agent-shelf.ts';
import type { PluginShelf } from '../commands/plugin.ts';
import type { SkillShelf } from '../commands/skills.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { PROJECT_HOME } from '../settings/home.ts';
import type { House } from './house.ts';
import { pluginRows } from './plugin-rows.ts';

export const skillShelf = ({ library }: House): SkillShelf => ({
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

export const pluginShelf = (house: House, accept: () => Promise<boolean>): PluginShelf => ({
  rows: () => pluginRows(house.plugins, house.world.trust.trusted),
  problems: house.plugins.problems,
  async reload() {
    const stands = await house.world.accepted.rootStands();
    if (!stands && !(await accept())) return;
    await house.plugins.reload();
    await Promise.all([house.servers.reload(), house.library.catalog.refresh()]);
  },
});

export const agentShelf = (
  { library, world }: House,
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
        : `${path} could not be written: ${error instanceof Error ? error.message : String(error)}`;
    }
  },
});
