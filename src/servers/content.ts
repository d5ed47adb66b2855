/** What a server answers, as the model reads it: capped, the rest kept in a file. */
import type { ImageBlock, TextBlock } from '../contract/message.ts';

/** Characters for about 25,000 tokens. */
const MOST = 100_000;

export interface ContentPart {
  readonly type: string;
  readonly [key: string]: unknown;
}

const image = (part: ContentPart): ImageBlock | undefined =>
  part.type === 'image' && typeof part.data === 'string' && typeof part.mimeType === 'string'
    ? { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } }
    : undefined;

const textOfPart = (part: ContentPart): string => {
  if (part.type === 'text') return String(part.text ?? '');
  if (part.type === 'resource') {
    const resource = part.resource as { readonly uri?: unknown; readonly text?: unknown } | undefined;
    return typeof resource?.text === 'string'
      ? `[${String(resource.uri)}]\n${resource.text}`
      : `[binary resource ${String(resource?.uri)}]`;
  }
  if (part.type === 'resource_link') return `[resource ${String(part.uri)}: ${String(part.name ?? '')}]`;
  if (part.type === 'audio') return `[audio, ${String(part.mimeType)}]`;
  return JSON.stringify(part);
};

/** Text and images of a result. `spill` keeps what does not fit and answers its path. */
export const readContent = async (
  parts: readonly ContentPart[],
  structured: unknown,
  limit: number | undefined,
  spill: (text: string) => Promise<string>,
): Promise<{ readonly text: string; readonly blocks?: readonly (TextBlock | ImageBlock)[] }> => {
  const most = limit ?? MOST;
  const images = parts.flatMap((part) => image(part) ?? []);
  const words = parts
    .filter((part) => image(part) === undefined)
    .map(textOfPart)
    .join('\n');
  const whole = words === '' && structured !== undefined ? JSON.stringify(structured) : words;
  const text =
    whole.length <= most
      ? whole
      : `${whole.slice(0, most).toWellFormed()}\n[${whole.length - most} more characters are in ${await spill(whole)}]`;
  if (images.length === 0) return { text: text === '' ? '(no output)' : text };
  return { text, blocks: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...images] };
};
