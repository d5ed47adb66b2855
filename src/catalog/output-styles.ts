/** Output styles: how the model speaks (conventions 13). Files of ours, of the person and of the project. */

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decode } from '../lib/decode-text.ts';
import { realOf } from '../lib/folders-below.ts';
import { readFrontmatter } from '../lib/frontmatter.ts';
import { readRegular } from '../lib/regular-file.ts';
import { leadsOut, realFolders } from './leads-out.ts';

export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly text: string;
  /** False: the style stands in the place of our instructions for working on code. */
  readonly keepCoding: boolean;
}

/** A folder that holds an `output-styles` folder. Files that lead out of `within` by a link are left out. */
export interface StylePlace {
  readonly home: string;
  readonly within?: string;
}

/**
 * The strongest file of each name, case aside; places from strong to weak. Missing folders are empty; unreadable files
 * are left out.
 */
export const outputStyles = async (places: readonly StylePlace[]): Promise<readonly OutputStyle[]> => {
  const found = new Map<string, OutputStyle>();
  for (const { home, within } of places) {
    const folder = join(home, 'output-styles');
    const names = (await readdir(folder).catch(() => [])).filter((name) =>
      name.toLowerCase().endsWith('.md'),
    );
    for (const name of names.toSorted()) {
      const path = join(folder, name);
      if (within !== undefined && leadsOut(realOf(path), realFolders([within]))) continue;
      const style = await readStyle(path);
      if (style && !found.has(style.name.toLowerCase())) found.set(style.name.toLowerCase(), style);
    }
  }
  return [...found.values()];
};

const readStyle = async (path: string): Promise<OutputStyle | undefined> => {
  const bytes = await readRegular(path).catch(() => undefined);
  if (!bytes) return undefined;
  const { fields, body } = readFrontmatter(decode(bytes, true).text);
  const text = body.trim();
  if (text === '') return undefined;
  const { name, description } = fields;
  const keep = fields['keep-coding-instructions'];
  return {
    name: typeof name === 'string' && name.trim() !== '' ? name.trim() : basename(path).replace(/\.md$/i, ''),
    description: typeof description === 'string' ? description.trim() : '',
    path,
    text,
    keepCoding: keep === true || /^(true|yes|on|1)$/i.test(String(keep)),
  };
};
