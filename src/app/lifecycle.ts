/** What happens around a conversation: settings that change on disk, watched files, set-up runs, notifications. */
import { basename, isAbsolute, join } from 'node:path';
import type { HookEvent, HookScope, Hooks } from '../contract/hook.ts';
import type { SettingsScope } from '../contract/settings.ts';
import type { Watcher } from '../contract/watch.ts';
import { watchedNames } from '../hooks/match.ts';
import { errorText } from '../lib/error-text.ts';
import type { Flags } from './flags.ts';
import type { HookHouse } from './hook-house.ts';
import type { Library } from './library.ts';
import type { PluginHouse } from './plugin-house.ts';
import type { Root } from './root.ts';
import type { RootWish } from './root-wish.ts';
import type { ServerHouse } from './server-house.ts';
import { mcpFile } from './server-sources.ts';
import type { Typing } from './typing-habits.ts';
import type { World } from './world.ts';

export interface Lifecycle {
  /** Watches for this conversation from now on. */
  attend(root: Root): void;
  /** Paths that hooks asked to watch (`watchPaths`); the list replaces the one before. */
  follow(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** What is read again when its files change, and who hears of it. */
export interface Reloaded {
  readonly world: World;
  readonly hookHouse: HookHouse;
  readonly servers: ServerHouse;
  readonly plugins: PluginHouse;
  readonly library: Library;
}

export interface LifecycleDeps {
  /** Whether what a project can run now may be used; asked again when it changed (ruling 8). */
  mayUse(): Promise<boolean>;
  tell(text: string): void;
  /** Keys bound anew, read again when their files change. */
  readonly typing?: Typing;
}

/** `--init` and `--maintenance`. `ok` when no hook failed or objected: the exit code of `--init-only`. */
export const setUp = async (
  hooks: Hooks,
  trigger: 'init' | 'maintenance',
  scope: HookScope,
): Promise<{ readonly ok: boolean; readonly context: readonly string[] }> => {
  let failed = false;
  const watched: HookScope = {
    ...scope,
    record: async (run, once) => {
      failed ||= run.outcome !== 'success';
      await scope.record(run, once);
    },
  };
  const verdict = await hooks.dispatch('Setup', { trigger }, watched);
  return {
    ok: !failed && verdict.blocked === undefined && verdict.stop === undefined,
    context: verdict.context,
  };
};

/** What runs before SessionStart when the command line asks for it. */
export const preludeOf = (hooks: Hooks, flags: Flags): RootWish['prelude'] => {
  const trigger = flags.init ? 'init' : flags.maintenance ? 'maintenance' : undefined;
  return (
    trigger &&
    (async (scope) =>
      (await setUp(hooks, trigger, scope)).context.map((text) => `Setup hook context: ${text}`))
  );
};

/** A desktop notice, a bell, or nothing: hooks hear of it first. */
export const notify = async (
  hooks: Hooks,
  scope: HookScope,
  notice: { readonly title: string; readonly message: string; readonly kind: string },
): Promise<void> => {
  await hooks.dispatch(
    'Notification',
    { message: notice.message, title: notice.title, notification_type: notice.kind },
    scope,
  );
};

const sources: Readonly<
  Record<SettingsScope, 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings'>
> = {
  user: 'user_settings',
  project: 'project_settings',
  local: 'local_settings',
  managed: 'policy_settings',
  flag: 'user_settings',
};

export const createLifecycle = (
  { world, hookHouse, servers, plugins, library }: Reloaded,
  { mayUse, tell, typing }: LifecycleDeps,
): Lifecycle => {
  let watcher: Promise<Watcher> | undefined;
  let root: Root | undefined;
  let followed: readonly string[] = [];

  /** Nobody waits for it: what goes wrong is told, and the conversation goes on. */
  const apart = (work: Promise<void>): void => {
    work.catch((error: unknown) => tell(`A change on disk could not be taken in: ${errorText(error)}`));
  };

  const scopeOfFile = (path: string): SettingsScope => {
    const layer = world.loaded().layers.find((one) => one.file === path);
    if (layer) return layer.scope;
    if (path.startsWith(`${world.project}/`)) return basename(path).includes('.local.') ? 'local' : 'project';
    return path.startsWith('/etc/') ? 'managed' : 'user';
  };

  /** The one place that says settings changed on disk. */
  const settingsChanged = async (path: string): Promise<void> => {
    if (!root) return;
    const scope = scopeOfFile(path);
    const verdict = await hookHouse.hooks.dispatch(
      'ConfigChange',
      { source: sources[scope], file_path: path },
      root.conversation.scope(),
    );
    const refused = verdict.blocked ?? (verdict.decision === 'deny' ? verdict.reason : undefined);
    if (refused !== undefined && scope !== 'managed') {
      tell(`A hook keeps the old settings: ${refused}`);
      return;
    }
    // Servers that wait for the answer are said to wait for it.
    await servers.reload();
    if ((scope === 'project' || scope === 'local') && world.trust.trusted && !(await mayUse())) return;
    const before = world.loaded().problems.length;
    const { problems } = await world.reload();
    for (const problem of problems.slice(before)) tell(problem.text);
    await plugins.reload();
    await Promise.all([servers.reload(), library.catalog.refresh()]);
    await refresh();
  };

  /** What was wrong before was said before. */
  const keysChanged = async (keys: Typing): Promise<void> => {
    const before = keys.problems();
    for (const problem of await keys.reload()) if (!before.includes(problem)) tell(problem);
  };

  /** The one place that says a watched file changed. */
  const fileChanged = async (path: string, event: 'change' | 'add' | 'unlink'): Promise<void> => {
    if (!root) return;
    const verdict = await hookHouse.hooks.dispatch(
      'FileChanged',
      { file_path: path, event },
      root.conversation.scope(),
    );
    if (verdict.watchPaths) follow(verdict.watchPaths);
  };

  const matchersOf = (event: HookEvent): readonly (string | undefined)[] =>
    hookHouse
      .sources()
      .filter((source) => source.active)
      .flatMap((source) =>
        source.groups.filter((group) => group.event === event).map((group) => group.matcher),
      );

  const settingsFiles = (): readonly string[] => [
    ...world.loaded().files,
    ...(world.trust.trusted ? [mcpFile(world.project)] : []),
  ];
  const watchedFiles = (): readonly string[] => {
    if (!root) return [];
    const cwd = root.conversation.state().cwd;
    const named = hookHouse.hooks.listens('FileChanged')
      ? watchedNames(matchersOf('FileChanged')).map((name) => (isAbsolute(name) ? name : join(cwd, name)))
      : [];
    return [...named, ...followed.filter((path) => isAbsolute(path))];
  };

  const refresh = async (): Promise<void> => {
    watcher ??= open();
    (await watcher).watch([...new Set([...settingsFiles(), ...(typing?.files ?? []), ...watchedFiles()])]);
  };
  const open = async (): Promise<Watcher> => {
    const { createWatcher } = await import('../watch/paths.ts');
    return createWatcher({
      trouble: tell,
      onChange({ path, event }) {
        if (settingsFiles().includes(path)) apart(settingsChanged(path));
        if (typing?.files.includes(path)) apart(keysChanged(typing));
        if (watchedFiles().includes(path)) apart(fileChanged(path, event));
      },
    });
  };
  const follow = (paths: readonly string[]): void => {
    followed = paths;
    apart(refresh());
  };

  return {
    follow,
    attend(next) {
      root = next;
      next.session.listen((event) => {
        if (event.session !== next.session.id || event.type !== 'entry') return;
        if (event.entry.type === 'cwd' || event.entry.type === 'worktree') apart(refresh());
        if (event.entry.type === 'directories') servers.servers.rootsChanged();
      });
      apart(refresh());
    },
    async close() {
      await (await watcher)?.close();
    },
  };
};
