/** Small real files of kinds that are not text, made here so that no binary lies in the repository. */
import { crc32, deflateSync } from 'node:zlib';

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A grey PNG; with `noise`, one that cannot be packed well. */
export const pngFile = (width: number, height: number, noise = false): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc((width * 3 + 1) * height, 128);
  let seed = 1;
  if (noise)
    for (let at = 0; at < rows.length; at += 1) {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      rows[at] = seed >> 16;
    }
  for (let row = 0; row < height; row += 1) rows[row * (width * 3 + 1)] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: noise ? 0 : 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A PDF with one line of text a page. `locked` needs a password that nobody has. */
export const pdfFile = (pages: readonly string[], locked = false): Buffer => {
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const stream = text === '' ? '' : `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + at * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  const offsets: number[] = [];
  let file = '%PDF-1.4\n';
  for (const [at, body] of bodies.entries()) {
    offsets.push(file.length);
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const lock = locked
    ? ` /Encrypt << /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -44 >> /ID [<00> <00>]`
    : '';
  return Buffer.from(
    `${file}xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R${lock} >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
};

/** A notebook as Jupyter writes it. */
export const notebookFile = (): string =>
  `${JSON.stringify(
    {
      cells: [
        { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'words'] },
        {
          cell_type: 'code',
          execution_count: 3,
          id: 'sum',
          metadata: {},
          outputs: [
            { name: 'stdout', output_type: 'stream', text: ['42\n'] },
            {
              data: { 'image/png': pngFile(4, 4).toString('base64'), 'text/plain': ['<Figure>'] },
              metadata: {},
              output_type: 'display_data',
            },
            {
              ename: 'ValueError',
              evalue: 'no',
              output_type: 'error',
              traceback: ['\x1b[31mValueError\x1b[0m: no'],
            },
          ],
          source: ['print(40 + 2)'],
        },
      ],
      metadata: { language_info: { name: 'python', version: '3.12' }, scale: 'SCALE' },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  ).replace('"SCALE"', '1.0')}\n`;
