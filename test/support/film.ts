import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { writePicture } from './picture.ts';
import { tempRepo } from './repo.ts';
import { ScriptFile, serveScript } from './script-file.ts';
import { openTerminal } from './terminal.ts';

const Scene = z.union([
  z.strictObject({ type: z.string() }),
  z.strictObject({ key: z.string() }),
  z.strictObject({ paste: z.string() }),
  /** Waits until the text is on the screen. */
  z.strictObject({ waitFor: z.string() }),
  z.strictObject({ resize: z.tuple([z.int(), z.int()]) }),
  /** Waits until the screen rests, then writes a PNG; the path counts from the working directory. */
  z.strictObject({ shot: z.string(), theme: z.enum(['dark', 'light']).default('dark') }),
]);

/** A run of Coppice to be pictured: what the model says, what is pressed, and where pictures are taken. */
export const Film = z.strictObject({
  title: z.string().default('coppice'),
  columns: z.int().default(100),
  rows: z.int().default(32),
  args: z.array(z.string()).default([]),
  /** Another program in place of Coppice. */
  command: z.tuple([z.string()], z.string()).optional(),
  /** Folder of the sample repository to start in; one that begins with `~/` becomes a repository of its own. */
  folder: z.string().default('.'),
  /** Added to the environment. */
  env: z.record(z.string(), z.string()).default({}),
  /** Files of the sample repository; a path that begins with `~/` lies in the home folder. */
  files: z.record(z.string(), z.string()).default({}),
  script: ScriptFile.default({ replies: [], lanes: [] }),
  scenes: z.array(Scene),
});
export type Film = z.infer<typeof Film>;

/** Plays the film and returns the paths of the pictures it wrote. */
export const shoot = async (film: Film): Promise<string[]> => {
  await using server = await serveScript(film.script);
  await using place = await tempRepo({ server, env: film.env });
  for (const [path, content] of Object.entries(film.files))
    await place.write(path.replace(/^~/, place.home), content);
  const folder = resolve(place.path, film.folder.replace(/^~/, place.home));
  if (film.folder.startsWith('~/')) await place.git('init', '--quiet', folder);
  for (const args of [
    ['add', '-A'],
    ['commit', '--quiet', '--allow-empty', '-m', 'Set the scene'],
  ])
    await place.git('-C', folder, ...args);
  const { columns, rows, command } = film;
  await using terminal = await openTerminal(place, film.args, {
    columns,
    rows,
    command,
    cwd: folder,
  });
  const pictures: string[] = [];
  for (const scene of film.scenes) {
    if ('type' in scene) terminal.type(scene.type);
    else if ('key' in scene) terminal.key(scene.key);
    else if ('paste' in scene) terminal.paste(scene.paste);
    else if ('waitFor' in scene) await terminal.waitFor(scene.waitFor);
    else if ('resize' in scene) terminal.resize(...scene.resize);
    else {
      const path = resolve(scene.shot);
      await terminal.settle();
      await mkdir(dirname(path), { recursive: true });
      await writePicture(path, terminal.cells(), { theme: scene.theme, title: film.title });
      pictures.push(path);
    }
  }
  return pictures;
};
