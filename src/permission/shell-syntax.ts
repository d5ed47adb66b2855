import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash';

/** The only module that knows the parser. Its node types are named here for the rest of the room. */
export type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  PipelineNode,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word,
  WordPart,
} from 'unbash';

/** Never throws: a parser that gives up counts as a syntax error. */
export const parseShell = (
  text: string,
): { readonly script: ParsedScript } | { readonly failure: string } => {
  try {
    return { script: parse(text) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
};

export const childrenOf = (node: SyntaxNode): readonly SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  forEachChild(node, (child) => children.push(child));
  return children;
};
