import type { ShellRedirect, Stdin } from './shell-command.ts';
import { contextOf, expansions, oneWord } from './shell-expansions.ts';
import type { Here, Walker } from './shell-here.ts';
import type { HereDoc, Redirection } from './shell-syntax.ts';
import { resolveOne } from './shell-word.ts';

export const readsInput = (redirection: Redirection): boolean =>
  redirection.type !== 'Redirect' ||
  redirection.operator === '<' ||
  redirection.operator === '<>' ||
  redirection.operator === '<&';

export const redirectsOf = (
  nodes: readonly Redirection[],
  here: Here,
  walker: Walker,
): readonly ShellRedirect[] =>
  nodes.flatMap((node) => {
    if (node.descriptor?.type === 'FileDescriptorVariable')
      walker.problem('a redirection that sets a variable');
    if (node.type === 'HereDoc') {
      expansions(here, walker)(node.body);
      if (!node.closing || !node.delimiter) walker.problem('a here-document without an end');
      return [];
    }
    if (!node.target) {
      walker.problem('a redirection without a target');
      return [];
    }
    const target = oneWord(node.target, here, walker);
    return node.type === 'HereString' ? [] : [{ operator: node.operator, target }];
  });

export const stdinOf = (nodes: readonly Redirection[], here: Here, walker: Walker): Stdin => {
  const last = nodes.filter(readsInput).at(-1);
  if (!last) return here.stdin;
  if (last.type === 'HereDoc') return { from: 'text', text: bodyText(last) };
  if (last.type === 'HereString') {
    const word = last.target
      ? resolveOne(last.target, contextOf(here, { ...walker, problem: () => {} }))
      : undefined;
    return { from: 'text', text: word?.kind === 'fixed' ? word.pattern : undefined };
  }
  return { from: 'file' };
};

const bodyText = (node: HereDoc): string | undefined => {
  const plain = node.delimiter?.quoted || !/[$`\\]/.test(node.body.text);
  if (!plain) return undefined;
  return node.operator === '<<-' ? node.body.text.replace(/^\t+/gm, '') : node.body.text;
};
