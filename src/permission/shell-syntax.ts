import type * as tree from 'unbash';
import { forEachChild, parse } from 'unbash';
import { errorText } from '../lib/error-text.ts';

/** The only module that knows the parser. Its node types are named here for the rest of the room. */
export type ArithmeticExpression = tree.ArithmeticExpression;
export type Assignment = tree.Assignment;
export type Command = tree.Command;
export type HereDoc = tree.HereDoc;
export type ParsedScript = tree.ParsedScript;
export type Redirection = tree.Redirection;
export type Statement = tree.Statement;
export type SyntaxNode = tree.SyntaxNode;
export type TestExpression = tree.TestExpression;
export type Word = tree.Word;
export type WordPart = tree.WordPart;

/** Never throws: a parser that gives up counts as a syntax error. */
export const parseShell = (
  text: string,
): { readonly script: ParsedScript } | { readonly failure: string } => {
  try {
    return { script: parse(text) };
  } catch (error) {
    return { failure: errorText(error) };
  }
};

export const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  forEachChild(node, (child) => children.push(child));
  return children;
};
