import { closeSync, constants, openSync, readdirSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { SessionId } from '../contract/ids.ts';
import type { ImageBlock } from '../contract/message.ts';
import type { Drafts } from '../contract/store.ts';
import { ensureFolderSync } from '../lib/ensure-folder.ts';
import { readRegularTextSync } from '../lib/regular-file.ts';
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
  /** Numbers of the pictures that lie beside it. */
  pictures: z.array(z.number()).default([]),
});
const picture = z.object({
  type: z.literal('image'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
});

/**
 * One small file for each session that is being typed in. A change overwrites the first line in one call and leaves
 * what stood behind it: readers take the first line only, so that a kill at any moment loses no letter.
 * A disk that refuses drafts is not worth a word: the text is still on the screen.
 */
export const fileDrafts = (home: string): Drafts => {
  let open: { readonly path: string; readonly fd: number } | undefined;
  /** Pictures that lie beside the open draft. */
  let beside = new Map<string, ImageBlock>();
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
    beside = new Map();
    ensureFolderSync(dir, 0o700);
    open = { path, fd: openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600) };
    return open;
  };

  return {
    save: (session, project, text, pictures = {}) => {
      try {
        if (text === '') {
          const path = join(draftDir(home, project), `${safeName(session)}.draft`);
          if (open?.path === path) closeSync(open.fd);
          if (open?.path === path) open = undefined;
          removeDraft(path);
          beside = new Map();
          return;
        }
        const { path, fd } = fileFor(session, project);
        // A picture stands there before a draft names it.
        for (const [number, image] of Object.entries(pictures)) {
          if (beside.get(number) === image) continue;
          writeFileSync(`${path}.${number}`, JSON.stringify(image), { mode: 0o600 });
          beside.set(number, image);
        }
        const numbers = Object.keys(pictures).map(Number);
        writeSync(
          fd,
          `${JSON.stringify({ text, session, at: Date.now(), ...stamp, pictures: numbers })}\n`,
          0,
        );
      } catch {
        open = undefined;
      }
    },
    recover: async (project) => {
      const dir = draftDir(home, project);
      const left = filesIn(dir).flatMap((name) => {
        if (!name.endsWith('.draft')) return [];
        const path = join(dir, name);
        const found = readDraft(path);
        return found && !alive(found, path) ? [{ path, ...found }] : [];
      });
      const found = left
        .sort((a, b) => b.at - a.at)
        .map(({ path, text, session, at, pictures }) => ({
          text,
          session,
          at,
          pictures: Object.fromEntries(pictures.flatMap((number) => readPicture(path, number))),
        }));
      for (const each of left) removeDraft(each.path);
      return found;
    },
  };
};

const draftDir = (home: string, project: string): string => join(projectDir(home, project), 'drafts');

const readDraft = (path: string): z.infer<typeof draft> | undefined => {
  try {
    const text = readRegularTextSync(path);
    return draft.parse(JSON.parse(text.slice(0, text.indexOf('\n'))));
  } catch {
    return undefined;
  }
};

/** None where its file is missing: the mark in the text then says so. */
const readPicture = (path: string, number: number): readonly (readonly [number, ImageBlock])[] => {
  try {
    return [[number, picture.parse(JSON.parse(readRegularTextSync(`${path}.${number}`)))]];
  } catch {
    return [];
  }
};

/** With the pictures that lie beside it, named or not. */
const removeDraft = (path: string): void => {
  remove(path);
  const dir = dirname(path);
  for (const name of filesIn(dir)) if (name.startsWith(`${basename(path)}.`)) remove(join(dir, name));
};

const filesIn = (dir: string): readonly string[] => {
  try {
    return readdirSync(dir);
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
