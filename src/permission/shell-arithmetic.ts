import type { Here, Walker } from './shell-here.ts';
import { type ArithmeticExpression, childrenOf, type SyntaxNode } from './shell-syntax.ts';
import { harmlessLoopName, numericVariable } from './shell-variables.ts';

const assigning = new Set(['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '&=', '^=', '|=']);

/**
 * Arithmetic evaluates the text of its variables, and a subscript in that text runs commands. So only numbers,
 * and variables that this script gave a number, are known to be harmless.
 */
export const walkArithmetic = (
  node: ArithmeticExpression,
  here: Here,
  walker: Walker,
  visit: (node: SyntaxNode) => void,
): void => {
  switch (node.type) {
    case 'ArithmeticWord': {
      for (const child of childrenOf(node)) visit(child);
      if (!harmlessOperand(node.value, here))
        walker.problem('arithmetic on a value that is not known before it runs');
      return;
    }
    case 'ArithmeticCommandExpansion':
      walker.problem('arithmetic on the output of a command');
      visit(node);
      return;
    case 'ArithmeticBinary': {
      if (
        assigning.has(node.operator) &&
        node.left.type === 'ArithmeticWord' &&
        /^\w+$/.test(node.left.value)
      ) {
        walkArithmetic(node.right, here, walker, visit);
        here.loops.delete(node.left.value);
        if (!harmlessLoopName(node.left.value)) walker.problem(`an assignment to ${node.left.value}`);
        else if (node.operator === '=') here.numbers.add(node.left.value);
        else if (!here.numbers.has(node.left.value))
          walker.problem('arithmetic on a value that is not known before it runs');
        return;
      }
      walkArithmetic(node.left, here, walker, visit);
      walkArithmetic(node.right, here, walker, visit);
      return;
    }
    case 'ArithmeticUnary':
      if (node.operand.type === 'ArithmeticWord') here.loops.delete(node.operand.value);
      walkArithmetic(node.operand, here, walker, visit);
      return;
    case 'ArithmeticGroup':
      walkArithmetic(node.expression, here, walker, visit);
      return;
    case 'ArithmeticTernary':
      for (const part of [node.test, node.consequent, node.alternate])
        walkArithmetic(part, here, walker, visit);
      return;
  }
};

const harmlessOperand = (value: string, here: Here): boolean => {
  const bare = value.trim().replace(/^\$\{?(\w+)\}?$/, '$1');
  return (
    /^(0[xX][0-9a-fA-F]+|\d+|)$/.test(bare) ||
    here.numbers.has(bare) ||
    numericVariable(bare) ||
    /^\$[#?$!]$/.test(value.trim())
  );
};

/** The same question for a word that `[[ a -eq b ]]` would evaluate. */
export const harmlessNumberWord = harmlessOperand;
