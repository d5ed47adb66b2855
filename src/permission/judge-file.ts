import type { Judgement, PermissionCall, PermissionWorld, Rule } from '../contract/permission.ts';
import { type Access, isWithin, normalise } from './access.ts';
import {
  deniedByGlob,
  fixedFolder,
  guarded,
  inside,
  type PathLaw,
  pathLaw,
  pathRule,
  shownAccess,
  type Use,
} from './path-rules.ts';
import { namesTool } from './rule.ts';
import { fileRule } from './suggest.ts';
import { allowed, asked, denied, planRefusal } from './verdicts.ts';
import { ANY, ONE, STAR } from './wildcard.ts';

/** Judges Read, Edit, Write and NotebookEdit by the file they name. */
export const judgeFile = (call: PermissionCall, use: Use, world: PermissionWorld): Judgement => {
  const law = pathLaw(world);
  const path = pathOf(call);
  const access = path === undefined ? undefined : law.resolve(path, world.cwd);
  const ruleOf = (behavior: Rule['behavior']) =>
    access
      ? pathRule(law, behavior, use, access)
      : world.rules.find(
          (rule) => rule.behavior === behavior && rule.spec === undefined && namesTool(rule, call.tool),
        );
  const shown = access ? shownAccess(access) : 'a path that cannot be read';
  const denial = ruleOf('deny');
  if (denial) return denied(denial, shown);
  const isPlanFile =
    access !== undefined && world.planFile !== undefined && access.lexical === normalise(world.planFile);
  if (world.mode === 'plan' && use === 'write') {
    return isPlanFile ? allowed('It is the plan file.', 'mode', shown) : planRefusal(`${call.tool} ${shown}`);
  }
  if (access && call.real !== undefined && call.real !== access.real)
    return asked(
      `${shown} led to ${call.real} when the call was checked: something changes a link on the way.`,
      {
        subject: shown,
        firm: true,
        unanalysable: 'a path that leads elsewhere from one moment to the next',
      },
    );
  const question = ruleOf('ask');
  if (question)
    return asked(`The rule ${question.text} asks about ${shown}.`, {
      rule: question,
      subject: shown,
      firm: true,
    });
  if (world.mode === 'bypassPermissions')
    return allowed('The mode bypassPermissions allows it.', 'mode', shown);
  if (!access)
    return asked('The path holds a control character or is missing.', {
      subject: shown,
      unanalysable: 'a path that cannot be read',
    });
  if (isMemory(law, access)) return allowed('It is in the agent’s own memory.', 'rule', shown);
  return use === 'read' ? judgeRead(access, law, shown) : judgeWrite(access, law, shown, isPlanFile);
};

/** Links must not lead the folder, or a file in it, anywhere else. */
const isMemory = (law: PathLaw, access: Access): boolean => {
  const { memory, cwd } = law.world;
  const folder = memory && law.resolve(memory.folder, cwd);
  const root = memory && law.resolve(memory.root, cwd);
  return (
    folder !== undefined &&
    root !== undefined &&
    access.lexical.endsWith('.md') &&
    isWithin(access.lexical, folder.lexical) &&
    isWithin(access.real, folder.real) &&
    isWithin(folder.real, root.real)
  );
};

const judgeRead = (access: Access, law: PathLaw, shown: string): Judgement => {
  const rule = pathRule(law, 'allow', 'read', access);
  if (rule) return allowed(`The rule ${rule.text} allows it.`, 'rule', shown, rule);
  if (inside(law, access)) return allowed('Files of the workspace may be read.', 'default', shown);
  return asked(`${shown} lies outside the workspace.`, {
    subject: shown,
    suggestion: fileRule(access.lexical, 'read', law),
  });
};

const judgeWrite = (access: Access, law: PathLaw, shown: string, isPlanFile: boolean): Judgement => {
  const { world } = law;
  const name = isPlanFile ? undefined : guarded(law, access);
  if (name)
    return asked(`${shown} is protected: ${name} can run code or change permissions later.`, {
      subject: shown,
      firm: true,
    });
  if (
    world.planScope &&
    !isPlanFile &&
    !world.planScope.some(
      (path) => normalise(path.startsWith('/') ? path : `${world.project}/${path}`) === access.lexical,
    )
  ) {
    return asked(`${shown} is not among the files that the approved plan names.`, { subject: shown });
  }
  const rule = pathRule(law, 'allow', 'write', access);
  if (rule) return allowed(`The rule ${rule.text} allows it.`, 'rule', shown, rule);
  if (world.mode === 'acceptEdits' && inside(law, access))
    return allowed('The mode acceptEdits allows changes inside the workspace.', 'mode', shown);
  return asked(`No rule allows ${shown} to be changed.`, {
    subject: shown,
    suggestion: fileRule(access.lexical, 'write', law),
  });
};

/** Judges Glob and Grep by the folder they search and the names they look for. */
export const judgeSearch = (call: PermissionCall, world: PermissionWorld): Judgement => {
  const law = pathLaw(world);
  const names = [call.tool === 'Glob' ? call.input.pattern : undefined, call.input.glob].flatMap((name) =>
    typeof name === 'string' ? [toGlob(name)] : [],
  );
  const folders = [pathOf(call) ?? '.', ...names.map(fixedFolder).filter((folder) => folder !== '.')];
  const base = pathOf(call) ?? world.cwd;
  const accesses = folders.map((folder) =>
    law.resolve(folder, folder === folders[0] ? world.cwd : resolvedBase(law, base, world)),
  );
  const shown = accesses
    .map((access) => (access ? shownAccess(access) : 'a path that cannot be read'))
    .join(', ');
  const ruleOf = (behavior: Rule['behavior']) =>
    accesses.flatMap((access) =>
      access
        ? (pathRule(law, behavior, 'read', access, { tool: call.tool, deep: behavior !== 'allow' }) ?? [])
        : [],
    )[0];
  const byName = names.flatMap((name) => {
    const reached = deniedByGlob(
      law,
      'read',
      name.startsWith('/') || call.tool === 'Glob' ? name : `${ANY}/${name}`,
      resolvedBase(law, base, world),
    );
    return reached?.certain && /[^\uE000-\uE002./]/.test(name.split('/').at(-1) ?? '') ? [reached.rule] : [];
  })[0];
  const denial = ruleOf('deny') ?? byName;
  if (denial) return denied(denial, shown);
  const question = ruleOf('ask');
  if (question)
    return asked(`The rule ${question.text} asks about ${shown}.`, {
      rule: question,
      subject: shown,
      firm: true,
    });
  if (world.mode === 'bypassPermissions')
    return allowed('The mode bypassPermissions allows it.', 'mode', shown);
  for (const access of accesses) {
    if (!access)
      return asked('The path holds a control character.', {
        subject: shown,
        unanalysable: 'a path that cannot be read',
      });
    const rule = pathRule(law, 'allow', 'read', access);
    const own = world.rules.some(
      (candidate) =>
        candidate.behavior === 'allow' && candidate.spec === undefined && namesTool(candidate, call.tool),
    );
    if (!inside(law, access) && !rule && !own) {
      return asked(`${shownAccess(access)} lies outside the workspace.`, {
        subject: shown,
        suggestion: fileRule(`${access.lexical}/**`, 'read', law),
      });
    }
  }
  return allowed('The workspace may be searched.', 'default', shown);
};

const resolvedBase = (law: PathLaw, base: string, world: PermissionWorld): string =>
  law.resolve(base, world.cwd)?.lexical ?? world.cwd;

const toGlob = (text: string): string =>
  text
    .replaceAll('**', ANY)
    .replaceAll('*', STAR)
    .replaceAll('?', ONE)
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, STAR);

/** The file or folder that a call names. */
export const pathOf = (call: PermissionCall): string | undefined => {
  const { file_path: file, notebook_path: notebook, path } = call.input;
  return [file, notebook, path].flatMap((value) =>
    typeof value === 'string' && value !== '' ? [value] : [],
  )[0];
};
