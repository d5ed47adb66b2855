/** What teams are kept on: files or memory. */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreFailed } from '../contract/store.ts';
import type { ProcessStamp, Team, TeamRefusal } from '../contract/team.ts';
import { readRegularTextSync } from '../lib/regular-file.ts';
import { realDisk } from './disk.ts';
import { errorCode, isFailed, storeFailed } from './failure.ts';
import { fenced } from './fence.ts';
import { linked, removeDir } from './folder.ts';
import { openLog } from './log-file.ts';
import { makePrivateDir } from './record.ts';
import { isAlive, stampOf } from './stamp.ts';
import { parseTeam, teamText } from './team-record.ts';
import { watchDir } from './watch-dir.ts';

export interface Teams {
  readonly teams: readonly Team[];
  readonly problems: readonly string[];
}
export type TeamLog = 'receipts' | 'log';

export interface TeamShelf {
  all(): Promise<Teams>;
  /** `check` is asked while no other team can be made. */
  add(
    team: Team,
    check: (others: readonly Team[]) => TeamRefusal | undefined,
  ): Promise<Team | TeamRefusal | StoreFailed>;
  change(key: string, work: (team: Team) => Team | TeamRefusal): Promise<Team | TeamRefusal | StoreFailed>;
  remove(key: string): Promise<StoreFailed | undefined>;
  append(key: string, log: TeamLog, line: object): StoreFailed | undefined;
  lines(key: string, log: TeamLog): readonly unknown[];
  watch(key: string, tell: () => void): () => void;
  readonly stamp: ProcessStamp;
  isAlive(stamp: ProcessStamp): boolean;
}

const CONFIG = 'config.json';
const gone = (key: string): TeamRefusal => ({ refused: `There is no team "${key}" any more.` });

export const fileTeamShelf = (home: string): TeamShelf => {
  const root = join(home, 'teams');
  const stamp = stampOf(process.pid);
  const world = { disk: realDisk, stamp };
  const dirOf = (key: string): string => join(root, key);

  const read = (key: string): Team | { readonly damaged: string } | undefined => {
    const path = join(dirOf(key), CONFIG);
    const link = linked(dirOf(key));
    if (link) return { damaged: link.failed };
    try {
      return parseTeam(readRegularTextSync(path), key, path);
    } catch (error) {
      return errorCode(error) === 'ENOENT'
        ? undefined
        : { damaged: storeFailed('read the team', path, error).failed };
    }
  };
  const all = (): Teams => {
    const found = keysIn(root).flatMap((key) => read(key) ?? []);
    return {
      teams: found.flatMap((one) => ('damaged' in one ? [] : [one])),
      problems: found.flatMap((one) => ('damaged' in one ? [one.damaged] : [])),
    };
  };

  return {
    stamp,
    isAlive: (of) => isAlive(of, Date.now()),
    all: async () => all(),
    async add(team, check) {
      const unusable = linked(root) ?? (await makePrivateDir(root));
      if (unusable) return unusable;
      return await fenced(root, world, () => {
        const refused = check(all().teams);
        if (refused) return refused;
        if (lstatSync(dirOf(team.key), { throwIfNoEntry: false }))
          return {
            refused: `${dirOf(team.key)} is there already, but holds no readable team. Remove it or choose another name.`,
          };
        // The folder appears with its file in it.
        const aside = join(root, `.new-${randomUUID()}`);
        realDisk.makeDir(aside);
        realDisk.writeNew(join(aside, CONFIG), teamText(team), 'durable');
        realDisk.rename(aside, dirOf(team.key));
        return team;
      });
    },
    async change(key, work) {
      const before = read(key);
      if (before === undefined) return gone(key);
      if ('damaged' in before) return { refused: before.damaged };
      return await fenced(dirOf(key), world, (fence): Team | TeamRefusal => {
        const team = read(key);
        if (team === undefined) return gone(key);
        if ('damaged' in team) return { refused: team.damaged };
        const made = work(team);
        if (!('refused' in made) && made !== team) fence.put(CONFIG, teamText(made));
        return made;
      });
    },
    remove: async (key) => linked(dirOf(key)) ?? (await removeDir(dirOf(key))),
    append(key, log, line) {
      const link = linked(dirOf(key));
      if (link) return link;
      const file = openLog(join(dirOf(key), `${log}.jsonl`), 'shared');
      if (isFailed(file)) return file;
      const failed = file.append(`${JSON.stringify(line)}\n`);
      file.close();
      return failed;
    },
    watch: (key, tell) => watchDir(dirOf(key), tell),
    lines(key, log) {
      try {
        return readRegularTextSync(join(dirOf(key), `${log}.jsonl`), Number.POSITIVE_INFINITY)
          .split('\n')
          .flatMap(parsed);
      } catch {
        return [];
      }
    },
  };
};

const keysIn = (root: string): readonly string[] => {
  try {
    return readdirSync(root)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
};

/** A line that is garbage says nothing; the others still count. */
const parsed = (line: string): readonly unknown[] => {
  try {
    return line === '' ? [] : [JSON.parse(line)];
  } catch {
    return [];
  }
};

export const memoryTeamShelf = (): TeamShelf => {
  const teams = new Map<string, Team>();
  const logs = new Map<string, object[]>();
  const readers = new Set<() => void>();
  const tell = (): void => {
    for (const reader of [...readers]) reader();
  };
  return {
    stamp: stampOf(process.pid),
    isAlive: (of) => isAlive(of, Date.now()),
    all: async () => ({ teams: [...teams.values()], problems: [] }),
    async add(team, check) {
      const refused = check([...teams.values()]);
      if (!refused) teams.set(team.key, structuredClone(team));
      tell();
      return refused ?? team;
    },
    async change(key, work) {
      const team = teams.get(key);
      if (!team) return gone(key);
      const made = work(team);
      if (!('refused' in made)) teams.set(key, structuredClone(made));
      tell();
      return made;
    },
    async remove(key) {
      teams.delete(key);
      for (const log of ['receipts', 'log']) logs.delete(`${key} ${log}`);
      return undefined;
    },
    append(key, log, line) {
      const id = `${key} ${log}`;
      logs.set(id, [...(logs.get(id) ?? []), line]);
      tell();
      return undefined;
    },
    watch(_key, reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    lines: (key, log) => logs.get(`${key} ${log}`) ?? [],
  };
};
