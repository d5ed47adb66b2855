/** Strings inside program text of another language: what it may hand to a shell. */
export const quotedTexts = (code: string): readonly string[] =>
  [...code.matchAll(/(["'`])((?:\\.|(?!\1)[\s\S])*)\1|\bq[qxw]?[({[]([^)}\]]*)[)}\]]/g)].map(
    ([, , quoted, perl]) => (quoted ?? perl ?? '').replace(/\\(["'`])/g, '$1'),
  );
