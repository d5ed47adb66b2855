/**
 * `/name args` at the start of a text; undefined when it is not a command (a path such as `/usr/bin` is none). Names of
 * skills in a folder of the project have its path before a colon: `/apps/web:deploy`.
 */
export const parseCommand = (text: string): { readonly name: string; readonly args: string } | undefined => {
  const match =
    /^\/((?:[\p{L}\p{N}_.-]+\/)*[\p{L}\p{N}_.-]+:[\p{L}\p{M}\p{N}_:.-]+|[\p{L}\p{N}][\p{L}\p{M}\p{N}_:.-]*)(?:\s+([\s\S]*))?$/u.exec(
      text.trim(),
    );
  return match?.[1] ? { name: match[1], args: match[2] ?? '' } : undefined;
};
