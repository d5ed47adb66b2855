/** Definition files as people write them, made from a seed: what they hold is known, and none is lost or misread. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitionsSchema } from '../../src/catalog/definition-schema.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { mixedTraps, singleTraps, type TrapFile } from '../support/trap-files.ts';
import { dice } from '../support/trap-forms.ts';

/** `TRAP_SEED=N` makes other files. */
const SEED = Number(process.env.TRAP_SEED ?? 20_261);

const plain = (text: unknown): unknown =>
  typeof text === 'string' ? text.replaceAll(/\s+/g, ' ').trim() : text;

const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 300);

/** What is wrong with how each file was read, with its traps; nothing where all is well. */
const misread = async (files: readonly TrapFile[]): Promise<readonly string[]> => {
  await using repo = await tempRepo();
  for (const { path, content } of files) await repo.write(join(repo.path, '.claude', path), content);
  const read = await Promise.all(
    ['skills', 'agents'].map(async (what) => {
      const ran = await runCoppice(repo, [what, 'list', '--json']);
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      return definitionsSchema.parse(JSON.parse(ran.stdout));
    }),
  );
  const found = new Map(read.flat().map((one) => [one.path, one]));
  return files.flatMap((file) => {
    const one = found.get(join(repo.path, '.claude', file.path));
    if (!one) return [`${file.about}: it is not listed`];
    const { fields, repairs } = one;
    const pairs: readonly (readonly [string, unknown, unknown])[] = [
      ['kind', one.kind, file.kind],
      ['name', one.name, file.name],
      ['description', plain(one.description), plain(file.description)],
      ['tools', fields[file.kind === 'agent' ? 'tools' : 'allowed-tools'], file.tools],
      ['model', fields.model, file.model],
      ['argument-hint', fields['argument-hint'], file.hint],
      ['license', fields.license, file.license],
    ];
    const wrong = pairs
      .filter(([, is, should]) => JSON.stringify(is) !== JSON.stringify(should))
      .map(([key, is, should]) => `${key} is ${short(is)}, not ${short(should)}`);
    const unsaid = file.repairs
      .filter((repair) => !repairs.some((text) => repair.test(text)))
      .map((repair) => `${repair} is not among its repairs ${JSON.stringify(repairs)}`);
    const over =
      file.repairs.length === 0 && repairs.length > 0 ? [`repairs: ${JSON.stringify(repairs)}`] : [];
    const all = [...wrong, ...unsaid, ...over];
    return all.length === 0 ? [] : [[file.about, ...all, file.content.toString().slice(0, 400)].join('\n')];
  });
};

test('three files of each kind for each trap are read as they were meant, and each repair is named', {
  timeout: 60_000,
}, async () => {
  const files = singleTraps(3, dice(SEED));
  expect(files.length).toBeGreaterThan(400);
  expect(await misread(files), `TRAP_SEED=${SEED}`).toEqual([]);
});

test('files in which traps come together are read as they were meant', { timeout: 60_000 }, async () => {
  expect(await misread(mixedTraps(300, dice(SEED + 1))), `TRAP_SEED=${SEED}`).toEqual([]);
});
