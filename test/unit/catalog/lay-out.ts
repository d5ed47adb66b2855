import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Catalog, type CatalogDeps, createCatalog } from '../../../src/catalog/catalog.ts';
import type { Whereabouts } from '../../../src/catalog/places.ts';
import type { Definition } from '../../../src/contract/catalog.ts';
import type { HookSource } from '../../../src/contract/hook.ts';

/** A home and a project in a temporary folder, with files by path. */
export const layOut = (files: Readonly<Record<string, string | Buffer>>): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-catalog-')));
  mkdirSync(join(root, 'project'));
  mkdirSync(join(root, 'home'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
};

const whereabouts = (root: string, more: Partial<Whereabouts> = {}): Whereabouts => ({
  homes: { user: join(root, 'home'), own: join(root, 'home/.coppice'), foreign: join(root, 'home/.claude') },
  cwd: join(root, 'project'),
  project: join(root, 'project'),
  directories: [],
  plugins: [],
  compatibility: true,
  ...more,
});

export const readCatalog = async (
  root: string,
  more: Partial<Whereabouts> = {},
  deps: Partial<CatalogDeps> = {},
): Promise<Catalog> => {
  const catalog = createCatalog({
    where: () => whereabouts(root, more),
    trusted: () => true,
    parseHooks: (raw, origin) => {
      const source: HookSource = { ...origin, groups: [] };
      return { source, problems: typeof raw === 'object' ? [] : [{ text: 'hooks must be a map.' }] };
    },
    ...deps,
  });
  await catalog.ready();
  return catalog;
};

/** The one definition of a file's text, laid where such files lie. */
export const only = async (path: string, text: string | Buffer): Promise<Definition> => {
  const catalog = await readCatalog(layOut({ [`project/.claude/${path}`]: text }));
  const all = catalog.definitions();
  if (all.length !== 1 || !all[0]) throw new Error(`Expected one definition, found ${all.length}.`);
  return all[0];
};
