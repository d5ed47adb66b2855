import { isInside, isWithin, resolveForAccess, workspaceOf } from '../permission/access.ts';
import { diskLinks } from '../permission/link-reader.ts';
import { protectedAccess } from '../permission/protected-paths.ts';

/**
 * Whether a project may keep its plans there: inside it, links followed, and nowhere that something is run or read as
 * instructions from later; a folder for plans in a home of settings is fine. `wished` is relative to the project.
 */
export const isPlanFolder = (wished: string, project: string): boolean => {
  const access = resolveForAccess(wished, project, { home: '/', readLink: diskLinks });
  const workspace = workspaceOf([project], diskLinks);
  if (!access || !isInside(access, workspace)) return false;
  const inHome = workspace.realRoots.some((root) =>
    /^\/\.(?:coppice|claude)\/[\w.-]*plan[\w.-]*$/.test(
      isWithin(access.real, root) ? access.real.slice(root.length) : '',
    ),
  );
  return inHome || protectedAccess(access, workspace) === undefined;
};
