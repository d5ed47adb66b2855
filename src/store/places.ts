/** Where things lie in the user home (ruling 13a). Pure. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SessionId } from '../contract/ids.ts';

const MAX_NAME = 200;

/** `/srv/my app` -> `-srv-my-app`, as public transcript readers compute it; long ones are cut and get a hash. */
const projectSlug = (project: string): string => {
  const slug = project.replace(/[^A-Za-z0-9]/g, '-');
  return slug.length <= MAX_NAME
    ? slug
    : `${slug.slice(0, MAX_NAME)}-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`;
};

export interface Child {
  readonly root: SessionId;
  readonly name: string;
}

export const projectsDir = (home: string): string => join(home, 'projects');
export const projectDir = (home: string, project: string): string =>
  join(projectsDir(home), projectSlug(project));

/** The path of a session without an extension: `.jsonl` is its transcript, the folder of that name holds the rest. */
export const sessionBase = (home: string, session: SessionId, project: string, child?: Child): string => {
  const dir = projectDir(home, project);
  return child
    ? join(dir, safeName(child.root), 'subagents', `agent-${safeName(child.name)}`)
    : join(dir, safeName(session));
};

/** A name that stays one file in one folder, whatever a person or a model called it. */
export const safeName = (name: string): string => {
  const safe = name.replace(/[^A-Za-z0-9._@-]/g, '-').replace(/^\.+/, '-');
  return safe === name && name.length <= MAX_NAME
    ? name
    : `${safe.slice(0, MAX_NAME)}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
};
