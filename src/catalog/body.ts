import { decode } from '../lib/decode-text.ts';
import { readFrontmatter } from '../lib/frontmatter.ts';
import { readRegularSync } from '../lib/regular-file.ts';
import type { Found } from './definition.ts';

/** The text below the frontmatter, read when it is used. Throws when the file is gone. */
export const bodyOf = (found: Found): string => {
  const prompt = found.fields.prompt;
  if (found.source === 'flag') return typeof prompt === 'string' ? prompt : '';
  return readFrontmatter(decode(readRegularSync(found.real), true).text).body.trim();
};
