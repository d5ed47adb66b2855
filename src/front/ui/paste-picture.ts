/** The path that a pasted text is, where it may be a picture's: quoted, escaped, or as a file address. */
export function picturePath(text: string): string | undefined {
  const path = text
    .trim()
    .replace(/^(['"])(.*)\1$/, '$2')
    .replace(/\\ /g, ' ')
    .replace(/^file:\/\//, '');
  return !path.includes('\n') && /\.(png|jpe?g|gif|webp)$/i.test(path) ? path : undefined;
}
