import type { PermissionWorld } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import { diskLinks } from '../permission/link-reader.ts';

/** Where a session stands, without anybody's rules: for questions about what a call would do, not whether it may. */
export const plainWorld = (state: SessionState, home: string): PermissionWorld => ({
  rules: [],
  mode: state.mode,
  cwd: state.cwd,
  home,
  project: state.checkout,
  directories: [],
  gitReadOnly: true,
  planFile: state.planFile,
  readLink: diskLinks,
});
