import { harmlessNumberWord } from './shell-arithmetic.ts';
import type { Here, Walker } from './shell-here.ts';
import type { SyntaxNode, TestExpression } from './shell-syntax.ts';

const numeric = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** `[[ ... ]]`: its operands are expanded, and some of its operators evaluate arithmetic or subscripts. */
export const walkTest = (
  node: TestExpression,
  here: Here,
  walker: Walker,
  visit: (node: SyntaxNode) => void,
): void => {
  switch (node.type) {
    case 'TestUnary':
      visit(node.operand);
      if (['-v', '-R'].includes(node.operator) && !/^\w+$/.test(node.operand.text)) {
        walker.problem(`[[ ${node.operator} ]] on a computed name`);
      }
      return;
    case 'TestBinary':
      visit(node.left);
      visit(node.right);
      if (
        numeric.has(node.operator) &&
        ![node.left, node.right].every(({ text }) => harmlessNumberWord(text, here))
      ) {
        walker.problem('arithmetic on a value that is not known before it runs');
      }
      return;
    case 'TestLogical':
      for (const operand of node.operands) walkTest(operand, here, walker, visit);
      return;
    case 'TestNot':
      walkTest(node.operand, here, walker, visit);
      return;
    case 'TestGroup':
      walkTest(node.expression, here, walker, visit);
      return;
  }
};
