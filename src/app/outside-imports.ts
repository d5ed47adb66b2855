/** Which files outside a project its instruction files may import: asked once, kept in the user home. */
import { join } from 'node:path';
import * as z from 'zod';
import { errorText } from '../lib/error-text.ts';
import { privateFile } from './private-file.ts';
import type { World } from './world.ts';

const Decided = z.object({ allowed: z.array(z.string()), refused: z.array(z.string()) });
const Book = z.record(z.string(), Decided);
type Decided = z.infer<typeof Decided>;

export interface OutsideImports {
  /** Real paths a person agreed to, and those they refused. */
  decided(): Promise<Decided>;
  /** A sentence when it could not be kept; it counts for this run all the same. */
  decide(paths: readonly string[], how: 'allowed' | 'refused'): Promise<string | undefined>;
}

const none: Decided = { allowed: [], refused: [] };

export const outsideImports = ({ homes, project }: World): OutsideImports => {
  const file = homes.own ? privateFile(join(homes.own, 'imports.json')) : undefined;
  let mine: Promise<Decided> | undefined;
  const book = async (): Promise<z.infer<typeof Book>> => {
    const text = await file?.read();
    try {
      return Book.safeParse(JSON.parse(text ?? '{}')).data ?? {};
    } catch {
      return {};
    }
  };
  const read = async (): Promise<Decided> => (await book())[project] ?? none;
  const decided = (): Promise<Decided> => {
    mine ??= read();
    return mine;
  };
  return {
    decided,
    async decide(paths, how) {
      const before = await decided();
      const next: Decided = {
        allowed: before.allowed.filter((path) => !paths.includes(path)),
        refused: before.refused.filter((path) => !paths.includes(path)),
      };
      next[how].push(...paths);
      mine = Promise.resolve(next);
      try {
        await file?.write(`${JSON.stringify({ ...(await book()), [project]: next }, null, 2)}\n`);
        return undefined;
      } catch (error) {
        return errorText(error);
      }
    },
  };
};
