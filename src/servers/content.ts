/** What a server answers, as the model reads it: capped, the rest and what is no text kept in files. */
import * as z from 'zod';
import type { ImageBlock, TextBlock } from '../contract/message.ts';

export interface ContentPart {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface ContentPorts {
  /** Characters that reach the model. */
  readonly mostChars: number;
  /** Keeps what does not; answers the path, or a sentence why there is none. */
  spill(content: string | Uint8Array, extension: string): Promise<string>;
  /** A picture as the service takes it; undefined when it takes it in no way. */
  picture(bytes: Uint8Array): Promise<ImageBlock | undefined>;
}

const binary = z.object({ data: z.string(), mimeType: z.string().catch('application/octet-stream') });
const resource = z.object({
  resource: z.looseObject({
    uri: z.string().catch(''),
    text: z.string().optional(),
    blob: z.string().optional(),
    mimeType: z.string().optional(),
  }),
});

const extensionOf = (mimeType: string | undefined): string =>
  /\/([a-z0-9]+)/i.exec(mimeType ?? '')?.[1]?.toLowerCase() ?? 'bin';

const kept = async (bytes: Uint8Array, mimeType: string | undefined, ports: ContentPorts): Promise<string> =>
  `[${mimeType ?? 'binary'}, ${bytes.length} bytes: ${await ports.spill(bytes, extensionOf(mimeType))}]`;

const readPart = async (part: ContentPart, ports: ContentPorts): Promise<string | ImageBlock> => {
  if (part.type === 'text') return String(part.text ?? '');
  if (part.type === 'resource_link') return `[resource ${String(part.uri)}: ${String(part.name ?? '')}]`;
  const held = resource.safeParse(part).data?.resource;
  if (held?.text !== undefined) return held.uri === '' ? held.text : `[${held.uri}]\n${held.text}`;
  const found =
    held?.blob === undefined ? binary.safeParse(part).data : { data: held.blob, mimeType: held.mimeType };
  if (!found) return JSON.stringify(part);
  const bytes = Buffer.from(found.data, 'base64');
  const picture = part.type === 'image' ? await ports.picture(bytes) : undefined;
  return picture ?? kept(bytes, found.mimeType, ports);
};

/** Text cut to its limit, the whole in a file that the end names. */
const capText = async (whole: string, ports: ContentPorts): Promise<string> =>
  whole.length <= ports.mostChars
    ? whole
    : `${whole.slice(0, ports.mostChars).toWellFormed()}\n[${whole.length - ports.mostChars} more characters; the whole: ${await ports.spill(whole, 'txt')}]`;

/** Text and pictures of a result. */
export const readContent = async (
  parts: readonly ContentPart[],
  structured: unknown,
  ports: ContentPorts,
): Promise<{ readonly text: string; readonly blocks?: readonly (TextBlock | ImageBlock)[] }> => {
  const read = await Promise.all(parts.map((part) => readPart(part, ports)));
  const words = read.filter((one) => typeof one === 'string').join('\n');
  const images = read.filter((one) => typeof one !== 'string');
  const whole = words === '' && structured !== undefined ? JSON.stringify(structured) : words;
  const text = await capText(whole, ports);
  if (images.length === 0) return { text: text === '' ? '(no output)' : text };
  return { text, blocks: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images] };
};
