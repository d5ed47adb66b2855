import { closeSync, constants, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { SessionId } from '../contract/ids.ts';
import type { Drafts } from '../contract/store.ts';
import { ensureFolderSync } from '../lib/ensure-folder.ts';
import { alive } from './lock.ts';
import { projectDir, safeName } from './places.ts';
import { bootId, processStart } from './process-start.ts';

const draft = z.object({
  text: z.string(),
  session: z.string(),
  at: z.number(),
  pid: z.number(),
  start: z.string(),
  boot: z.string(),
  host: z.string(),
});

/**
 * One small file for each session that is being typed in. A change overwrites the first line in one call and leaves
 * what stood behind it: readers take the first line only, so that a kill at any moment loses no letter.
 * A disk that refuses drafts is not worth a word: the text is still on the screen.
 */
export const fileDrafts = (home: string): Drafts => {
  let open: { readonly path: string; readonly fd: number } | undefined;
  const stamp = {
    pid: process.pid,
    start: processStart(process.pid) ?? '',
    boot: bootId(),
    host: hostname(),
  };

  const fileFor = (session: SessionId, project: string): { readonly path: string; readonly fd: number } => {
    const dir = draftDir(home, project);
    const path = join(dir, `${safeName(session)}.draft`);
    if (open?.path === path) return open;
    if (open) closeSync(open.fd);
    ensureFolderSync(dir, 0o700);
    open = { path, fd: openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600) };
    return open;
  };

  return {
    save: (session, project, text) => {
      try {
        if (text === '') {
          const path = join(draftDir(home, project), `${safeName(session)}.draft`);
          if (open?.path === path) closeSync(open.fd);
          if (open?.path === path) open = undefined;
          remove(path);
          return;
        }
        writeSync(
          fileFor(session, project).fd,
          `${JSON.stringify({ text, session, at: Date.now(), ...stamp })}\n`,
          0,
        );
      } catch {
        open = undefined;
      }
    },
    recover: async (project) => {
      const dir = draftDir(home, project);
      const left = namesIn(dir).flatMap((name) => {
        const path = join(dir, name);
        const found = readDraft(path);
        return found && !alive(found, path) ? [{ path, ...found }] : [];
      });
      for (const each of left) remove(each.path);
      return left.sort((a, b) => b.at - a.at).map(({ text, session, at }) => ({ text, session, at }));
    },
  };
};

const draftDir = (home: string, project: string): string => join(projectDir(home, project), 'drafts');

const readDraft = (path: string): z.infer<typeof draft> | undefined => {
  try {
    const text = readFileSync(path, 'utf8');
    return draft.parse(JSON.parse(text.slice(0, text.indexOf('\n'))));
  } catch {
    return undefined;
  }
};

const namesIn = (dir: string): readonly string[] => {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.draft'));
  } catch {
    return [];
  }
};

const remove = (path: string): void => {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or a disk that cannot forget either.
  }
};
