import { walkArithmetic } from './shell-arithmetic.ts';
import { type ShellAssignment, type ShellWord, unknown } from './shell-command.ts';
import { cwdsAfter, type Flow, sameCwds, union } from './shell-cwd.ts';
import { contextOf, expansions, wordsOf } from './shell-expansions.ts';
import { copy, type Here, nothing, type Walker } from './shell-here.ts';
import { readsInput, redirectsOf, stdinOf } from './shell-redirects.ts';
import type {
  Assignment,
  Command,
  ParsedScript,
  Redirection,
  Statement,
  SyntaxNode,
} from './shell-syntax.ts';
import { walkTest } from './shell-test.ts';
import { harmlessLoopName } from './shell-variables.ts';
import { resolveOne } from './shell-word.ts';

/** Hands every command of a parsed script to the walker, however nested, with where it would run. */
export const walkScript = (script: ParsedScript, here: Here, walker: Walker): void => {
  for (const error of script.errors ?? []) walker.problem(`a syntax error (${error.message})`);
  walkList(script.commands, here, walker);
};

const walkList = (statements: readonly Statement[], here: Here, walker: Walker): Flow => {
  let flow: Flow = { ok: here.cwds, fail: here.cwds };
  for (const statement of statements) {
    const inner = statement.background ? copy(here) : here;
    const after = walkNode(statement.command, inner, walker);
    flow = statement.background ? { ok: here.cwds, fail: here.cwds } : after;
    here.cwds = union(flow.ok, flow.fail);
  }
  return flow;
};

const walkBody = (body: { readonly commands: readonly Statement[] }, here: Here, walker: Walker): Flow =>
  walkList(body.commands, here, walker);

const still = (here: Here): Flow => ({ ok: here.cwds, fail: here.cwds });
const at = (here: Here, cwds: Here['cwds']): Here => {
  here.cwds = cwds;
  return here;
};

const walkNode = (node: SyntaxNode, here: Here, walker: Walker): Flow => {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, here, walker);
    case 'AndOr': {
      let flow: Flow = still(here);
      for (const [index, part] of node.commands.entries()) {
        const operator = index === 0 ? undefined : node.operators[index - 1];
        const start = operator === '||' ? flow.fail : flow.ok;
        const after = walkNode(part, at(here, start), walker);
        flow =
          operator === undefined
            ? after
            : operator === '&&'
              ? { ok: after.ok, fail: union(flow.fail, after.fail) }
              : { ok: union(flow.ok, after.ok), fail: after.fail };
      }
      return flow;
    }
    case 'Pipeline': {
      const negations = node.prefixes.filter(({ type }) => type === 'Negation').length;
      const [only] = node.commands;
      if (node.commands.length === 1 && only) {
        const flow = walkNode(only, here, walker);
        return negations % 2 === 1 ? { ok: flow.fail, fail: flow.ok } : flow;
      }
      for (const [index, part] of node.commands.entries()) {
        walkNode(part, copy(here, index === 0 ? here.stdin : { from: 'pipe' }), walker);
      }
      return still(here);
    }
    case 'Subshell':
      walkBody(node.body, copy(here), walker);
      return still(here);
    case 'BraceGroup':
      return walkBody(node.body, here, walker);
    case 'CompoundList':
      return walkBody(node, here, walker);
    case 'Redirected': {
      const redirects = redirectsOf(node.redirects, here, walker);
      walker.command({ words: [], assigns: [], redirects, cwds: here.cwds, stdin: nothing });
      const inner = at(copy(here, stdinOf(node.redirects, here, walker)), here.cwds);
      return walkNode(node.command, inner, walker);
    }
    case 'If': {
      const clause = walkBody(node.clause, here, walker);
      let out = walkBody(node.then, at(here, clause.ok), walker);
      let otherwise = clause.fail;
      for (const branch of node.elif) {
        const next = walkBody(branch.clause, at(here, otherwise), walker);
        out = join(out, walkBody(branch.then, at(here, next.ok), walker));
        otherwise = next.fail;
      }
      const last = node.else
        ? walkBody(node.else, at(here, otherwise), walker)
        : { ok: otherwise, fail: otherwise };
      return join(out, last);
    }
    case 'For':
    case 'Select': {
      noteGlue(node.wordlist ?? [], walker);
      const words = (node.wordlist ?? []).flatMap((word) => wordsOf(word, here, walker));
      const plain = words.every(({ kind }) => kind === 'fixed' || kind === 'glob');
      if (node.type === 'For' && plain && words.length > 0 && words.length <= roundLimit) {
        return unrolled(node.name.value, words, node.body, here, walker);
      }
      loopVariable(node.name.value, words, node.wordlist !== undefined, here, walker);
      return looped(here, walker, (inner, sink) => walkBody(node.body, inner, sink));
    }
    case 'While':
      return looped(here, walker, (inner, sink) => {
        const clause = walkBody(node.clause, inner, sink);
        return walkBody(node.body, at(inner, union(clause.ok, clause.fail)), sink);
      });
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update]) {
        if (part) walkArithmetic(part, here, walker, expansions(here, walker));
      }
      return looped(here, walker, (inner, sink) => walkBody(node.body, inner, sink));
    case 'Case': {
      wordsOf(node.word, here, walker);
      let out: Flow = still(here);
      const start = here.cwds;
      for (const item of node.items) {
        for (const pattern of item.pattern) expansions(here, walker)(pattern);
        out = join(
          out,
          walkBody(item.body, at(here, item.terminator === ';;' ? start : union(start, out.ok)), walker),
        );
      }
      return out;
    }
    case 'TestCommand':
      walkTest(node.expression, here, walker, expansions(here, walker));
      return still(here);
    case 'ArithmeticCommand':
      if (node.expression) walkArithmetic(node.expression, here, walker, expansions(here, walker));
      else walker.problem('an arithmetic command');
      return still(here);
    case 'Function':
      walker.problem(`the function ${node.name.text}`);
      walkNode(node.body, at(copy(here), undefined), walker);
      return still(here);
    case 'Coproc':
      walker.problem('a coprocess');
      walkNode(node.body, copy(here), walker);
      return still(here);
    default:
      walker.problem(`a construct that is not known here (${node.type})`);
      return { ok: undefined, fail: undefined };
  }
};

const join = (a: Flow, b: Flow): Flow => ({ ok: union(a.ok, b.ok), fail: union(a.fail, b.fail) });

/** A body that changes directory starts its next round elsewhere: then no directory is known in it. */
const looped = (here: Here, walker: Walker, body: (inner: Here, sink: Walker) => Flow): Flow => {
  const start = here.cwds;
  const silent: Walker = { ...walker, command: () => {}, problem: () => {} };
  const probe = body(at(copy(here), start), silent);
  const moved = !sameCwds(union(start, union(probe.ok, probe.fail)), start);
  const flow = body(at(here, moved ? undefined : start), walker);
  return join({ ok: start, fail: start }, flow);
};

const roundLimit = 20;

/** A loop over words that stand in the text is walked once per word: its variable is then as known as the word. */
const unrolled = (
  name: string,
  words: readonly ShellWord[],
  body: { readonly commands: readonly Statement[] },
  here: Here,
  walker: Walker,
): Flow => {
  for (const word of words) {
    loopVariable(name, [word], true, here, walker);
    here.loops.set(name, word);
    const before = here.cwds;
    const flow = walkBody(body, here, walker);
    here.cwds = union(before, union(flow.ok, flow.fail));
  }
  here.loops.delete(name);
  return still(here);
};

const loopVariable = (
  name: string,
  words: readonly ShellWord[],
  listed: boolean,
  here: Here,
  walker: Walker,
): void => {
  if (!harmlessLoopName(name)) walker.problem(`a loop over the variable ${name}`);
  const digits =
    listed &&
    words.length > 0 &&
    words.every(({ kind, pattern }) => kind === 'fixed' && /^\d{1,9}$/.test(pattern));
  if (digits) here.numbers.add(name);
  else here.numbers.delete(name);
  here.loops.delete(name);
  const [only] = words;
  if (words.length === 1 && (only?.kind === 'fixed' || only?.kind === 'glob'))
    here.guesses.set(name, only.pattern);
  else here.guesses.delete(name);
};

/** The parser parts `a<(b)c` into three words; bash makes them one. */
const noteGlue = (parts: readonly SyntaxNode[], walker: Walker): void => {
  const glued = parts.some((part, index) => {
    const before = parts[index - 1];
    return (
      part.type === 'Word' && before !== undefined && before.type !== 'HereDoc' && before.end === part.pos
    );
  });
  if (glued) walker.problem('a substitution inside a word');
};

const walkCommand = (node: Command, here: Here, walker: Walker): Flow => {
  noteGlue([...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix], walker);
  const assigns: ShellAssignment[] = [];
  const redirections: Redirection[] = [];
  for (const part of node.prefix) {
    if (part.type === 'Assignment') assigns.push(assignmentOf(part, here, walker));
    else redirections.push(part);
  }
  const words = node.name ? [...wordsOf(node.name, here, walker)] : [];
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(...wordsOf(part, here, walker));
    else if (part.type === 'Assignment') words.push(argumentOf(part, here, walker));
    else redirections.push(part);
  }
  const redirects = redirectsOf(redirections, here, walker);
  const stdin = redirections.some(readsInput) ? stdinOf(redirections, here, walker) : here.stdin;
  walker.command({ words, assigns, redirects, cwds: here.cwds, stdin });
  if (words.length === 0) remember(assigns, here);
  return cwdsAfter(words, here.cwds, walker.home);
};

const remember = (assigns: readonly ShellAssignment[], here: Here): void => {
  for (const { name, value, plain } of assigns) {
    if (plain && value.kind === 'fixed') here.guesses.set(name, value.pattern);
    else here.guesses.delete(name);
  }
};

const assignmentOf = (node: Assignment, here: Here, walker: Walker): ShellAssignment => {
  expansions(here, walker)(node);
  const plain = node.value.type === 'Word' && !node.append && !node.index;
  if (node.value.type === 'Word' && node.value.text.startsWith('('))
    walker.problem('text after an array value');
  const value =
    node.value.type === 'Word' ? resolveOne(node.value, contextOf(here, walker)) : unknown(node.text);
  return { name: node.name, value, plain };
};

/** `export A=b`: one argument of the command. */
const argumentOf = (node: Assignment, here: Here, walker: Walker): ShellWord => {
  const { name, value, plain } = assignmentOf(node, here, walker);
  const pattern = `${name}=${value.pattern}`;
  return { pattern, raw: node.text, kind: plain ? value.kind : 'dynamic' };
};
