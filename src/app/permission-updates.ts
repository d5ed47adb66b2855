/** What hooks want changed when they answer a permission question: `updatedPermissions` (conventions 1). */
import * as z from 'zod';
import { type Mode, modes } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';
import type { EntryBody } from '../contract/transcript.ts';
import type { PermissionList, Written } from '../settings/write.ts';

const destination = z.enum(['session', 'localSettings', 'projectSettings', 'userSettings', 'cliArg']);
const rule = z
  .object({ toolName: z.string().min(1), ruleContent: z.string().optional() })
  .transform(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
const updateSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['addRules', 'replaceRules', 'removeRules']),
    rules: z.array(rule),
    behavior: z.enum(['allow', 'deny', 'ask']),
    destination,
  }),
  z.object({ type: z.literal('setMode'), mode: z.enum(modes), destination }),
  z.object({
    type: z.enum(['addDirectories', 'removeDirectories']),
    directories: z.array(z.string()),
    destination,
  }),
]);
type Update = z.infer<typeof updateSchema>;
type FileDestination = Exclude<Update['destination'], 'session' | 'cliArg'>;

export interface UpdateDeps {
  /** Changes a list of `permissions` in the settings file of a destination, and reads settings again. */
  save(
    to: FileDestination,
    name: PermissionList,
    how: 'add' | 'replace' | 'remove',
    values: readonly string[],
  ): Promise<Written>;
  setMode(to: FileDestination, mode: Mode): Promise<Written>;
  /** Why a mode may not be used here. */
  refused(mode: Mode): string | undefined;
}

export interface Updated {
  readonly entries: readonly EntryBody[];
  readonly problems: readonly string[];
}

const inSession = (update: Update, state: SessionState): EntryBody => {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return { type: 'grant', rules: update.rules, behavior: update.behavior, how: howOf(update.type) };
    case 'setMode':
      return { type: 'mode', mode: update.mode };
    case 'addDirectories':
      return {
        type: 'directories',
        directories: [...new Set([...state.directories, ...update.directories])],
      };
    case 'removeDirectories':
      return {
        type: 'directories',
        directories: state.directories.filter((one) => !update.directories.includes(one)),
      };
  }
};

const howOf = (type: string): 'add' | 'replace' | 'remove' =>
  type.startsWith('replace') ? 'replace' : type.startsWith('remove') ? 'remove' : 'add';

/** Never throws; what cannot be done is a sentence. */
export const permissionUpdates =
  (deps: UpdateDeps) =>
  async (updates: readonly unknown[], state: SessionState): Promise<Updated> => {
    const entries: EntryBody[] = [];
    const problems: string[] = [];
    for (const given of updates) {
      const parsed = updateSchema.safeParse(given);
      if (!parsed.success) {
        problems.push(
          `A hook's permission update was left: ${JSON.stringify(given)?.slice(0, 200)} is not in the documented shape.`,
        );
        continue;
      }
      const update = parsed.data;
      const refused = update.type === 'setMode' ? deps.refused(update.mode) : undefined;
      if (refused) problems.push(refused);
      else if (update.destination === 'session' || update.destination === 'cliArg')
        entries.push(inSession(update, state));
      else {
        const saved = await toFile(deps, update, update.destination);
        if ('refused' in saved) problems.push(saved.refused);
      }
    }
    return { entries, problems };
  };

const toFile = (deps: UpdateDeps, update: Update, to: FileDestination): Promise<Written> => {
  switch (update.type) {
    case 'setMode':
      return deps.setMode(to, update.mode);
    case 'addDirectories':
    case 'removeDirectories':
      return deps.save(to, 'additionalDirectories', howOf(update.type), update.directories);
    default:
      return deps.save(to, update.behavior, howOf(update.type), update.rules);
  }
};
