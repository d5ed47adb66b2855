/** Output styles: how the model speaks (conventions 13). Files of ours, of the person and of the project. */

import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decode } from '../lib/decode-text.ts';
import { readFrontmatter } from '../lib/frontmatter.ts';
import { readRegular } from '../lib/regular-file.ts';

export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly text: string;
  /** False: the style stands in the place of our instructions for working on code. */
  readonly keepCoding: boolean;
}

export interface StylePlaces {
  /** Folders that hold an `output-styles` folder, from strong to weak. */
  readonly homes: readonly string[];
}

/** The strongest file of each name, case aside. Missing folders are empty; unreadable files are left out. */
export const outputStyles = async ({ homes }: StylePlaces): Promise<readonly OutputStyle[]> => {
  const found = new Map<string, OutputStyle>();
  for (const home of homes) {
    const folder = join(home, 'output-styles');
    const names = (await readdir(folder).catch(() => [])).filter((name) =>
      name.toLowerCase().endsWith('.md'),
    );
    for (const name of names.toSorted()) {
      const style = await readStyle(join(folder, name));
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
