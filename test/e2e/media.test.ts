import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { notebookFile, pdfFile, pngFile } from '../support/sample-files.ts';

test('pictures, PDF documents and notebooks reach the model; broken ones are sentences', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const files: Readonly<Record<string, string | Buffer>> = {
    'a.png': pngFile(20, 10),
    'cut.png': pngFile(200, 200, true).subarray(0, 3000),
    'a.pdf': pdfFile(['Hello page']),
    'locked.pdf': pdfFile(['no'], true),
    'a.ipynb': notebookFile(),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place.path, name), content);
  server.script(reply(Object.keys(files).map((name) => use('Read', { file_path: name }))), say('done'));
  const ran = await runCoppice(place, ['-p', 'look']);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  const results = server.requests.at(-1)?.results ?? [];
  expect(results.map(({ text }) => text)).toEqual([
    expect.stringContaining('20 x 10 pixels'),
    expect.stringMatching(/cut\.png is damaged/),
    '[Page 1 of 1]\nHello page',
    expect.stringMatching(/protected by a password/),
    expect.stringContaining('<cell id="sum">'),
  ]);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
    `"type":"image","source":{"type":"base64","media_type":"image/png","data":"${pngFile(20, 10).toString('base64')}"`,
  );
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
    `"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${pdfFile(['Hello page']).toString('base64')}"`,
  );
  expect(await breaches({ place, server, kept: ['look', 'done'] })).toEqual([]);
});
