/**
 * What an awk program would do beside printing: reads it token by token, so that `|` in a pattern or `>` in a
 * comparison is not taken for a pipe or a redirection.
 */
export const awkHazards = (program: string): readonly string[] => {
  if (/\\\r?\n/.test(program)) return ['an awk program that could not be read'];
  const found = new Set<string>();
  let printing = false;
  let depth = 0;
  let previous: 'operand' | 'other' = 'other';
  let at = 0;
  while (at < program.length) {
    const rest = program.slice(at);
    const token = nextToken(rest, previous);
    if (!token) {
      found.add('an awk program that could not be read');
      break;
    }
    at += token.text.length;
    const { kind, text } = token;
    if (kind === 'blank') continue;
    if (kind === 'name') {
      if (text === 'system') found.add('system() runs a command');
      if (text === 'ARGV') found.add('ARGV chooses other files');
      if (text === 'getline') found.add('getline reads a command or a file');
      if (text === 'print' || text === 'printf') {
        printing = true;
        depth = 0;
      }
      previous = /^(print|printf|return|in|case|delete|exit|else|do)$/.test(text) ? 'other' : 'operand';
      continue;
    }
    if (kind === 'regex' && /system|getline/.test(text)) found.add('an awk program that could not be read');
    if (kind !== 'sign') {
      previous = 'operand';
      continue;
    }
    if (text === '(' || text === '[') depth++;
    if (text === ')' || text === ']') depth--;
    if (text === ';' || text === '}' || text === '{') printing = false;
    if (text === '|' || text === '|&') found.add('| runs a command');
    if ((text === '>' || text === '>>') && printing && depth <= 0) found.add('print > writes a file');
    if (text === '@') found.add('@ loads or calls by name');
    previous = /^([)\]$]|\+\+|--)$/.test(text) ? 'operand' : 'other';
  }
  return [...found];
};

const nextToken = (
  rest: string,
  previous: 'operand' | 'other',
):
  | { readonly kind: 'blank' | 'name' | 'string' | 'regex' | 'number' | 'sign'; readonly text: string }
  | undefined => {
  const take = (pattern: RegExp) => pattern.exec(rest)?.[0];
  const blank = take(/^(\s|#[^\n]*)+/);
  if (blank) return { kind: 'blank', text: blank };
  const name = take(/^[A-Za-z_]\w*/);
  if (name) return { kind: 'name', text: name };
  const number = take(/^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/);
  if (number) return { kind: 'number', text: number };
  if (rest[0] === '"') {
    const text = take(/^"(\\[\s\S]|[^"\\\n])*"/);
    return text ? { kind: 'string', text } : undefined;
  }
  if (rest[0] === '/' && previous === 'other') {
    const text = take(/^\/(\\.|\[\^?\]?[^\]\n/]*\]|[^/\\[\n])*\//);
    return text ? { kind: 'regex', text } : undefined;
  }
  const sign = take(
    /^(\|\||&&|\|&|>>|>=|<=|==|!=|\+\+|--|\*\*|[-+*/%^=]=|!~|[-+*/%^=<>!~?:,;(){}[\]$|@&\\])/,
  );
  return sign ? { kind: 'sign', text: sign } : undefined;
};
