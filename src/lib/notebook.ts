/** Jupyter notebooks as data. */
import * as z from 'zod';

const Lines = z.union([z.string(), z.array(z.string())]).transform((lines) => [lines].flat().join(''));

const Output = z.looseObject({
  output_type: z.string(),
  text: Lines.optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});

const Cell = z.looseObject({
  id: z.string().optional(),
  cell_type: z.string(),
  source: Lines.default(''),
  execution_count: z.number().nullish(),
  outputs: z.array(Output).optional(),
});

const Notebook = z.looseObject({
  cells: z.array(Cell),
  nbformat: z.number().default(4),
  nbformat_minor: z.number().default(0),
  metadata: z
    .looseObject({ language_info: z.looseObject({ name: z.string().optional() }).optional() })
    .default({}),
});

export type Notebook = z.output<typeof Notebook>;
export type NotebookCell = z.output<typeof Cell>;
export type NotebookOutput = z.output<typeof Output>;

/** `problem` is the end of a sentence whose subject is the file. */
export const parseNotebook = (text: string): Notebook | { readonly problem: string } => {
  const json = jsonOf(text);
  if (json === undefined) return { problem: 'is no valid notebook: it is not JSON.' };
  const parsed = Notebook.safeParse(json);
  return parsed.success
    ? parsed.data
    : { problem: 'is no notebook of format 4 or newer: it has no list of cells.' };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
};

/** What a cell is called: its own id, or its place where it has none. */
export const cellName = (cell: Pick<NotebookCell, 'id'>, at: number): string => cell.id ?? `cell-${at}`;

export const languageOf = (notebook: Notebook): string => notebook.metadata.language_info?.name ?? 'python';
