import { isWithin } from './access.ts';
import { calledAs, type Unit } from './bash-units.ts';
import { fixedFolder, isRoot, type PathLaw } from './path-rules.ts';
import { shownText } from './shell-command.ts';
import { hasWildcard } from './wildcard.ts';

const removers: ReadonlySet<string> = new Set(['rm', 'rmdir', 'shred', 'unlink']);

/** The reason why a removal asks even with every other question switched off: it would take a whole tree that matters. */
export const criticalRemoval = (units: readonly Unit[], law: PathLaw): string | undefined => {
  for (const unit of units) {
    if (!removers.has(calledAs(unit) ?? '')) continue;
    const { words } = unit.command;
    const recursive = words.some(({ pattern }) => /^-\w*[rR]|^--r/.test(pattern));
    for (const { word } of unit.facts.writes) {
      if (recursive && /^\uE000/.test(word.pattern))
        return `${shownText(words)} removes a tree that is not known before it runs.`;
      if (/^\uE000/.test(word.pattern)) continue;
      for (const cwd of unit.command.cwds ?? [law.world.cwd]) {
        const path = hasWildcard(word.pattern) ? fixedFolder(word.pattern) : word.pattern;
        const access = law.resolve(path, cwd);
        if (!access || (hasWildcard(word.pattern) && !/[\uE000-\uE002]$/.test(word.pattern))) continue;
        const matters = [access.lexical, access.real].some(
          (target) => target.split('/').length <= 2 || isWithin(law.world.home, target),
        );
        if (matters || isRoot(law, access))
          return `${shownText(words)} removes ${access.real}, which must not go unasked.`;
      }
    }
  }
  return undefined;
};
