import type { Trouble } from './trouble.ts';

/** What a server has shown that it does not take; learned from its refusals. */
export type Quirk =
  | 'no-thinking'
  | 'no-effort'
  | 'no-cache'
  | 'no-tool-choice'
  | 'no-documents'
  | 'no-images';

const THINKING_REFUSED =
  /thinking.{0,40}block.{0,200}(signature|bound to|invalid|cannot be modified|different)|signature.{0,40}thinking/i;

/** First match wins: the parts of a request that a server may refuse though the service takes them. */
const REFUSALS: readonly (readonly [Quirk, RegExp])[] = [
  ['no-effort', /output_config|\beffort\b/i],
  ['no-cache', /cache_control/i],
  ['no-tool-choice', /tool_choice/i],
  ['no-thinking', /\bthinking\b/i],
  ['no-documents', /\bpdfs?\b|\bdocuments?\b/i],
  ['no-images', /\bimages?\b|\bvision\b|\bmultimodal\b/i],
];

/**
 * What a 400 says the next request must leave out: thinking that the service no longer takes back, or a field
 * that this server does not know. Undefined for every other refusal: those are never tried again.
 */
export const lessonOf = (trouble: Trouble): Quirk | 'refused-thinking' | undefined => {
  if (trouble.kind !== 'http' || (trouble.status !== 400 && trouble.status !== 422)) return undefined;
  const words = trouble.message ?? '';
  if (THINKING_REFUSED.test(words)) return 'refused-thinking';
  return REFUSALS.find(([, pattern]) => pattern.test(words))?.[0];
};
