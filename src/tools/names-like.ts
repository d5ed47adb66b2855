import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const MOST = 3;

/** A sentence with the names that a wrong path may have meant, or with what is missing of it; begins with a blank. */
export const namesLike = async (path: string): Promise<string> => {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => undefined);
  if (!names) {
    const there = await nearest(folder);
    return ` The folder ${folder} does not exist either; ${there} does.`;
  }
  const wanted = basename(path).toLowerCase();
  const near = names
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) =>
        distance <= Math.max(2, wanted.length / 3) || sameStem(wanted, name.toLowerCase()),
    )
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, MOST);
  return near.length === 0 ? '' : ` Did you mean ${near.map(({ name }) => join(folder, name)).join(' or ')}?`;
};

const nearest = async (folder: string): Promise<string> => {
  const parent = dirname(folder);
  if (parent === folder) return folder;
  return readdir(parent).then(
    () => parent,
    () => nearest(parent),
  );
};

const sameStem = (one: string, other: string): boolean => stem(one).length > 1 && stem(one) === stem(other);
const stem = (name: string): string => name.replace(/(?<=.)\..*$/, '');

/** Letters to change, add or leave out. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
};
