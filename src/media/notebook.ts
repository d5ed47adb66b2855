import type { ImageBlock, TextBlock } from '../contract/message.ts';
import type { ToolOutcome } from '../contract/tool.ts';
import {
  cellName,
  languageOf,
  type NotebookCell,
  type NotebookOutput,
  parseNotebook,
} from '../lib/notebook.ts';
import { fitImage } from './fit-image.ts';

const MOST_OUTPUT_CHARS = 10_000;
const MOST_CHARS = 100_000;
const MOST_PICTURES = 8;

/** Cells and their outputs as text, pictures among the outputs as pictures. */
export const readNotebook = async (
  path: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<ToolOutcome> => {
  const notebook = parseNotebook(Buffer.from(bytes).toString('utf8'));
  if ('problem' in notebook) return { status: 'error', text: `${path} ${notebook.problem}` };
  const language = languageOf(notebook);
  const text = cut(notebook.cells.map((cell, at) => cellText(cell, at, language)).join('\n\n'), MOST_CHARS);
  const pictures = await picturesOf(notebook.cells, signal);
  if (pictures === 'interrupted') return { status: 'cancelled', text: 'Interrupted.' };
  const blocks: readonly (TextBlock | ImageBlock)[] = [
    { type: 'text', text: text || 'No cells.' },
    ...pictures,
  ];
  const count = notebook.cells.length;
  return {
    status: 'ok',
    text: text || '[The notebook has no cells.]',
    ...(pictures.length > 0 ? { blocks } : {}),
    display: { kind: 'code', path, summary: `${count} ${count === 1 ? 'cell' : 'cells'}`, body: text },
    response: {
      type: 'notebook',
      file: {
        filePath: path,
        cells: notebook.cells.map((cell, at) => ({
          cellType: cell.cell_type,
          source: cell.source,
          cell_id: cellName(cell, at),
          ...(cell.cell_type === 'code' ? { language } : {}),
        })),
      },
    },
  };
};

const cellText = (cell: NotebookCell, at: number, language: string): string => {
  const name = cellName(cell, at);
  const kind = cell.cell_type === 'code' ? `code, ${language}` : cell.cell_type;
  const ran = cell.execution_count ? `, run as [${cell.execution_count}]` : '';
  const outputs = (cell.outputs ?? []).map(outputText).filter((text) => text !== '');
  return [
    `<cell id="${name}"> (${kind}${ran})`,
    cell.source,
    ...outputs.map((text) => `<output>\n${text}\n</output>`),
    '</cell>',
  ].join('\n');
};

/** Colours of a traceback. */
const COLOURS = /\x1b\[[0-9;]*m/g;

const outputText = (output: NotebookOutput): string => {
  if (output.output_type === 'error')
    return cut(
      (output.traceback?.join('\n') ?? `${output.ename}: ${output.evalue}`).replace(COLOURS, ''),
      MOST_OUTPUT_CHARS,
    );
  if (output.text !== undefined) return cut(output.text.trimEnd(), MOST_OUTPUT_CHARS);
  const data = output.data ?? {};
  const plain = data['text/plain'];
  const said = typeof plain === 'string' || Array.isArray(plain) ? [plain].flat().join('') : '';
  const others = Object.keys(data).filter((type) => type !== 'text/plain');
  return [cut(said, MOST_OUTPUT_CHARS), ...others.map((type) => `[${type}]`)]
    .filter((part) => part !== '')
    .join('\n');
};

/** A picture that is broken is left out: its place in the text says that there was one. */
const picturesOf = async (
  cells: readonly NotebookCell[],
  signal: AbortSignal,
): Promise<readonly (TextBlock | ImageBlock)[] | 'interrupted'> => {
  const found = cells.flatMap((cell, at) =>
    (cell.outputs ?? []).flatMap((output) =>
      ['image/png', 'image/jpeg'].flatMap((type) => {
        const data = output.data?.[type];
        return typeof data === 'string' || Array.isArray(data)
          ? [{ name: cellName(cell, at), data: [data].flat().join('') }]
          : [];
      }),
    ),
  );
  const blocks: (TextBlock | ImageBlock)[] = [];
  for (const { name, data } of found.slice(0, MOST_PICTURES)) {
    const fitted = await fitImage(Buffer.from(data, 'base64'), signal);
    if ('interrupted' in fitted) return 'interrupted';
    if ('block' in fitted) blocks.push({ type: 'text', text: `Output of cell ${name}:` }, fitted.block);
  }
  return blocks;
};

const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most).toWellFormed()}\n[${text.length - most} more characters are not shown]`;
