import { type Document, parseDocument, visit } from 'yaml';
import { errorText } from './error-text.ts';

export type YamlRead =
  | {
      readonly value: unknown;
      /** Keys that stand twice on one level; the last one counts. */
      readonly duplicates: boolean;
    }
  | { readonly error: string };

/** `1.0` and `0123` are numbers to YAML; people mean the signs they wrote. */
const keepSigns = (document: Document): void =>
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source;
    },
  });

/** Reads YAML 1.2 (dates stay text). Aliases are expanded a hundred times at most. */
const readYaml = (text: string): YamlRead => {
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: false, merge: true });
  const errors = document.errors.filter((error) => error.code !== 'DUPLICATE_KEY');
  const first = errors[0];
  if (first) return { error: first.message };
  const duplicates = document.errors.length > 0;
  keepSigns(document);
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), duplicates };
  } catch (error) {
    return { error: errorText(error) };
  }
};

/** The keys of a YAML map as written, in order; undefined when the text is no map. */
export const yamlMap = (
  text: string,
):
  | { readonly fields: ReadonlyMap<string, unknown>; readonly duplicates: boolean }
  | { readonly error: string } => {
  const read = readYaml(text);
  if ('error' in read) return read;
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value))
    return { error: 'it holds no keys' };
  return { fields: new Map(Object.entries(read.value)), duplicates: read.duplicates };
};
