/** Definition files that were read to judge what they could run: nobody reads them a second time to know what they say. */
import type { Stats } from 'node:fs';
import { type Folder, foldersBelow } from '../lib/folders-below.ts';
import { type Frontmatter, readFrontmatter } from '../lib/frontmatter.ts';
import type { Head } from './read-head.ts';

export interface ReadFile {
  readonly head: Head;
  /** Parsed when it is first asked for. */
  matter(): Frontmatter;
}

export interface ReadAlready {
  keep(real: string, facts: Stats, file: ReadFile): void;
  /** Undefined where the file was not read, or is another one by now. */
  find(real: string, facts: Stats): ReadFile | undefined;
  /** The folders below a place, remembered for who walks there next. */
  walked(start: string): Generator<Folder, boolean>;
  /** The same, once, without looking again where they were just walked. */
  again(start: string): Generator<Folder, boolean>;
  /** Everything was read as definitions: nothing is remembered from now on. */
  forget(): void;
}

/** Another one after every change of a file. */
export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;

export const readFile = (head: Head): ReadFile => {
  let matter: Frontmatter | undefined;
  return {
    head,
    matter() {
      matter ??= readFrontmatter(head.text);
      return matter;
    },
  };
};

export const createReadAlready = (): ReadAlready => {
  const files = new Map<string, { readonly stamp: string; readonly file: ReadFile }>();
  const walks = new Map<string, { readonly folders: readonly Folder[]; readonly more: boolean }>();
  let over = false;
  return {
    *walked(start) {
      const folders: Folder[] = [];
      const below = foldersBelow(start);
      for (;;) {
        const { done, value } = below.next();
        if (done) {
          if (!over) walks.set(start, { folders, more: value });
          return value;
        }
        folders.push(value);
        yield value;
      }
    },
    *again(start) {
      const known = walks.get(start);
      walks.delete(start);
      if (!known) return yield* foldersBelow(start);
      yield* known.folders;
      return known.more;
    },
    keep(real, facts, file) {
      if (!over) files.set(real, { stamp: stampOf(facts), file });
    },
    find(real, facts) {
      const known = files.get(real);
      return known?.stamp === stampOf(facts) ? known.file : undefined;
    },
    forget() {
      over = true;
      files.clear();
      walks.clear();
    },
  };
};
