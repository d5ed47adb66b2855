/** What can be typed after a slash: letters, digits, `_ . -`, and `:` between parts; small letters. */
export const slug = (name: string): string =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replace(/\s*:\s*/g, ':')
    .replace(/[^\p{L}\p{M}\p{N}_.:-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.:]+|[-.:]+$/g, '');
