import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../../src/contract/tool.ts';
import { imageHead } from '../../src/media/image-head.ts';
import { pageRange } from '../../src/media/pdf.ts';
import { notebookFile, pdfFile, pngFile } from '../support/sample-files.ts';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());
const at = (name: string) => join(bench.folder, name);
const put = (name: string, content: string | Buffer) => writeFileSync(at(name), content);
const read = (name: string, more: object = {}) => bench.call('Read', { file_path: at(name), ...more });

const picture = (outcome: ToolOutcome) => {
  const blocks = outcome.status === 'ok' ? (outcome.blocks ?? []) : [];
  const block = blocks.find((one) => one.type === 'image');
  const bytes = Buffer.from(block?.source.data ?? '', 'base64');
  return { type: block?.source.media_type, head: imageHead(bytes), bytes };
};

put('small.png', pngFile(30, 20));
put('wide.png', pngFile(3000, 500));
put('noise.png', pngFile(1500, 1200, true));
put('cut.png', pngFile(300, 300, true).subarray(0, 5000));
put('text.png', 'this is no picture\n');
put('none.jpg', '');
put(
  'bomb.png',
  (() => {
    const head = pngFile(2, 2);
    head.writeUInt32BE(60_000, 16);
    head.writeUInt32BE(60_000, 20);
    return head;
  })(),
);
put('three.pdf', pdfFile(['First page', '', 'Third page']));
put('many.pdf', pdfFile(Array.from({ length: 25 }, (_, page) => `Page number ${page + 1}`)));
put('locked.pdf', pdfFile(['secret'], true));
put('broken.pdf', '%PDF-1.4\nnothing else');
put('book.ipynb', notebookFile());
put('wrong.ipynb', '{"a": 1}');
put('torn.ipynb', '{"cells": [');

describe('a picture', () => {
  it('goes to the model as it is when it is small', async () => {
    const outcome = await read('small.png');
    expect(outcome).toMatchObject({ status: 'ok', effects: [{ type: 'seen', path: at('small.png') }] });
    expect(picture(outcome)).toEqual({
      type: 'image/png',
      head: { type: 'image/png', width: 30, height: 20 },
      bytes: pngFile(30, 20),
    });
  });

  it('is scaled down to 1568 pixels', async () => {
    const outcome = await read('wide.png');
    expect(picture(outcome).head).toMatchObject({ width: 1568, height: 261 });
    expect(outcome.text).toContain('3000 x 500 pixels, shown at 1568 x 261');
  });

  it('is packed until it fits into 5 MB of base64', async () => {
    const { type, bytes } = picture(await read('noise.png'));
    expect(type).toBe('image/jpeg');
    expect(bytes.toString('base64').length).toBeLessThan(5_000_000);
  });

  it.each([
    ['cut.png', /is damaged: it begins like a picture and cannot be decoded/],
    ['text.png', /is not a whole PNG, JPEG, GIF or WebP picture/],
    ['none.jpg', /is empty/],
    ['bomb.png', /60000 x 60000 pixels, too many to open/],
  ])('that is none is refused with a sentence: %s', async (name, text) => {
    expect(await read(name)).toMatchObject({ status: 'error', text: expect.stringMatching(text) });
  });
});

describe('a PDF', () => {
  it('is read page by page', async () => {
    expect((await read('three.pdf')).text).toBe(
      '[Page 1 of 3]\nFirst page\n\n[Page 2 of 3]\n(no text on this page: it may be a picture)\n\n[Page 3 of 3]\nThird page',
    );
  });

  it.each([
    ['3', /^\[Page 3 of 25\]\nPage number 3$/],
    ['24-', /^\[Page 24 of 25\]\nPage number 24\n\n\[Page 25 of 25\]\nPage number 25$/],
    ['30', /has 25 pages; page 30 is behind its end/],
    ['x', /takes a page or a range, such as 3 or 1-5, not "x"/],
  ])('is read in part: pages %s', async (pages, text) => {
    expect((await read('many.pdf', { pages })).text).toMatch(text);
  });

  it('that is long says how to go on', async () => {
    expect((await read('many.pdf')).text).toMatch(
      /\[Pages 21 to 25 are not shown\. Go on with pages "21-25"\.\]$/,
    );
  });

  const seen = async (name: string, more: object = {}) => {
    const outcome = await bench.call(
      'Read',
      { file_path: at(name), ...more },
      { session: { ...bench.state(), model: 'seeing' } },
    );
    const blocks = outcome.status === 'ok' ? (outcome.blocks ?? []) : [];
    const document = blocks.find((block) => block.type === 'document');
    return { text: outcome.text, bytes: document && Buffer.from(document.source.data, 'base64') };
  };

  it('is shown whole to a model that can see pages', async () => {
    const { text, bytes } = await seen('three.pdf');
    expect(text).toContain('First page');
    expect(bytes).toEqual(pdfFile(['First page', '', 'Third page']));
  });

  it('is shown in part where a few pages are asked for', async () => {
    const { text, bytes } = await seen('many.pdf', { pages: '4-5' });
    expect(text).toMatch(/^\[Page 4 of 25\][\s\S]*Page number 5$/);
    put('part.pdf', bytes ?? '');
    expect((await read('part.pdf')).text).toBe(
      '[Page 1 of 2]\nPage number 4\n\n[Page 2 of 2]\nPage number 5',
    );
  });

  it('is text alone where many pages are asked for, and says so', async () => {
    const { text, bytes } = await seen('many.pdf');
    expect([bytes, text]).toEqual([
      undefined,
      expect.stringMatching(/Only the text is here.*at most 10 pages/),
    ]);
  });

  it.each([
    ['locked.pdf', /is protected by a password, so it cannot be read/],
    ['broken.pdf', /is damaged or no PDF/],
  ])('that cannot be read says why: %s', async (name, text) => {
    expect(await read(name)).toMatchObject({ status: 'error', text: expect.stringMatching(text) });
  });

  it.each([
    ['4', { first: 4, last: 4 }],
    [' 2 - 5 ', { first: 2, last: 5 }],
    ['7-', { first: 7 }],
    [undefined, { first: 1 }],
    ['0', undefined],
    ['5-2', undefined],
  ])('has ranges of pages: %s', (text, range) => {
    expect(pageRange(text)).toEqual(range);
  });
});

describe('a notebook', () => {
  it('is shown with its cells, outputs and pictures', async () => {
    const outcome = await read('book.ipynb');
    expect(outcome.text).toBe(
      '<cell id="intro"> (markdown)\n# Title\nwords\n</cell>\n\n<cell id="sum"> (code, python, run as [3])\nprint(40 + 2)\n<output>\n42\n</output>\n<output>\n<Figure>\n[image/png]\n</output>\n<output>\nValueError: no\n</output>\n</cell>',
    );
    expect(picture(outcome).head).toMatchObject({ width: 4, height: 4 });
    expect(outcome.response).toMatchObject({ type: 'notebook', file: { filePath: at('book.ipynb') } });
  });

  it.each([
    ['wrong.ipynb', /is no notebook of format 4/],
    ['torn.ipynb', /is no valid notebook: it is not JSON/],
  ])('that is none is refused: %s', async (name, text) => {
    expect(await read(name)).toMatchObject({ status: 'error', text: expect.stringMatching(text) });
  });
});

describe('NotebookEdit', () => {
  const fresh = async (name: string) => {
    put(name, notebookFile());
    await read(name);
  };
  const edit = (name: string, more: object) =>
    bench.call('NotebookEdit', { notebook_path: at(name), ...more });
  const text = (name: string) => readFileSync(at(name), 'utf8');
  const cells = (name: string) => JSON.parse(text(name)).cells;

  it('replaces the source of one cell and drops its outputs; all else keeps its bytes', async () => {
    await fresh('a.ipynb');
    const outcome = await edit('a.ipynb', { cell_id: 'sum', new_source: 'x = 1\nprint(x)' });
    expect(outcome).toMatchObject({
      status: 'ok',
      response: { cell_id: 'sum', cell_type: 'code', language: 'python', edit_mode: 'replace' },
    });
    expect(cells('a.ipynb')[1]).toEqual({
      cell_type: 'code',
      execution_count: null,
      id: 'sum',
      metadata: {},
      outputs: [],
      source: ['x = 1\n', 'print(x)'],
    });
    const tail = (one: string) => one.slice(one.indexOf('"language_info"'));
    expect(tail(text('a.ipynb'))).toBe(tail(notebookFile()));
    expect(text('a.ipynb')).toContain('"scale": 1.0');
  });

  it('inserts after a cell, at the top without one, and deletes', async () => {
    await fresh('b.ipynb');
    await edit('b.ipynb', {
      edit_mode: 'insert',
      cell_id: 'intro',
      cell_type: 'markdown',
      new_source: 'two',
    });
    await edit('b.ipynb', { edit_mode: 'insert', cell_type: 'code', new_source: 'one' });
    await edit('b.ipynb', { edit_mode: 'delete', cell_id: 'sum' });
    expect(cells('b.ipynb').map((cell: { source: string[] }) => cell.source.join(''))).toEqual([
      'one',
      '# Title\nwords',
      'two',
    ]);
  });

  it('is refused for a notebook that nobody read, or that changed since', async () => {
    put('c.ipynb', notebookFile());
    expect((await edit('c.ipynb', { cell_id: 'sum', new_source: '1' })).text).toMatch(/was not read/);
    await read('c.ipynb');
    put('c.ipynb', notebookFile().replace('words', 'other'));
    expect((await edit('c.ipynb', { cell_id: 'sum', new_source: '1' })).text).toMatch(/has changed since/);
  });

  it.each([
    [{ cell_id: 'gone', new_source: '1' }, /has no cell "gone"\. Its cells are intro, sum\./],
    [{ new_source: '1' }, /needs "cell_id" to replace/],
    [{ edit_mode: 'insert', new_source: '1' }, /needs "cell_type"/],
  ])('says what is wrong: %j', async (wish, said) => {
    await fresh('d.ipynb');
    expect((await edit('d.ipynb', wish)).text).toMatch(said);
  });
});
