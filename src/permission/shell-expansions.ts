import { walkArithmetic } from './shell-arithmetic.ts';
import type { ShellWord } from './shell-command.ts';
import { copy, type Here, nothing, type Walker } from './shell-here.ts';
import { childrenOf, type SyntaxNode } from './shell-syntax.ts';
import { resolveOne, resolveWord, type WordContext } from './shell-word.ts';

export const contextOf = (here: Here, walker: Walker): WordContext => ({
  home: walker.home,
  guesses: here.guesses,
  loops: here.loops,
  problem: walker.problem,
});

/** Visits what is expanded inside a node: substitutions are scripts of their own. */
export const expansions = (here: Here, walker: Walker) => {
  const visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (!node.script) walker.problem('a substitution that was not read');
        else walker.walk(node.script, copy(here, nothing), walker);
        return;
      case 'ArithmeticExpansion':
        if (node.expression) walkArithmetic(node.expression, here, walker, visit);
        else if (!/^\$(\(\(\s*\)\)|\[\s*\])$/.test(node.text)) walker.problem('arithmetic that was not read');
        return;
      case 'ParameterExpansion':
        if (node.prefix === '!') walker.problem('an indirect expansion');
        if (node.operation?.type === 'Transform') walker.problem('an expansion that transforms (@)');
        if (node.operation?.type === 'Unknown') walker.problem('an expansion of an unknown form');
        if (
          node.operation?.type === 'Slice' &&
          !/^[\s:0-9-]*$/.test(node.operation.offset.text + (node.operation.length?.text ?? ''))
        ) {
          walker.problem('an expansion with a computed offset');
        }
        if (node.operation?.type === 'Default' && node.operation.operator.includes('='))
          walker.problem(`an assignment to ${node.parameter}`);
        if (node.index && !/^(\d+|@|\*)$/.test(node.index.text)) walker.problem('a computed array subscript');
        break;
      default:
        break;
    }
    for (const child of childrenOf(node)) visit(child);
  };
  return visit;
};

export const wordsOf = (
  word: SyntaxNode & { type: 'Word' },
  here: Here,
  walker: Walker,
): readonly ShellWord[] => {
  expansions(here, walker)(word);
  return resolveWord(word, contextOf(here, walker));
};

export const oneWord = (word: SyntaxNode & { type: 'Word' }, here: Here, walker: Walker): ShellWord => {
  expansions(here, walker)(word);
  return resolveOne(word, contextOf(here, walker));
};
