/** No key yet: paste one, use a local server, or practise offline. */
import type { ScreenCommands } from '../contract/screen.ts';
import { findLocalServers } from '../model/local.ts';
import type { Flags } from './flags.ts';
import { hasModel } from './models.ts';
import { keepKey, readKey } from './stored-key.ts';
import type { World } from './world.ts';

export interface ModelAccess {
  readonly practice: boolean;
  readonly storedKey?: string;
  /** Variables chosen here, over those of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

type Choice =
  | { readonly kind: 'key' }
  | { readonly kind: 'practice' }
  | { readonly kind: 'local'; readonly baseUrl: string; readonly model: string | undefined };

/** Undefined when the person leaves. Nothing is asked where there is a way to a model already. */
export const chooseModelAccess = async (
  world: World,
  flags: Flags,
  commands: ScreenCommands,
): Promise<ModelAccess | undefined> => {
  const storedKey = await readKey(world.homes);
  if (flags.practice) return { practice: true, env: {} };
  if (hasModel(world.env(), world.loaded(), storedKey)) return { practice: false, storedKey, env: {} };
  const local = await findLocalServers();
  for (;;) {
    const choice = await commands.pick<Choice>({
      title: 'Which model shall answer?',
      items: [
        {
          value: { kind: 'key' },
          label: 'Paste an Anthropic API key',
          hint: 'kept in your home, readable by you alone',
        },
        ...local.map((server) => ({
          value: { kind: 'local' as const, baseUrl: server.baseUrl, model: server.models[0] },
          label: `${server.name} on this computer`,
          hint: `${server.baseUrl}, ${server.models[0] ?? 'no model loaded'}`,
        })),
        {
          value: { kind: 'practice' },
          label: 'Practice model',
          hint: 'offline, no language model: shows how everything works',
        },
      ],
    });
    if (!choice) return undefined;
    if (choice.kind === 'practice') return { practice: true, env: {} };
    if (choice.kind === 'local')
      return {
        practice: false,
        env: {
          ANTHROPIC_BASE_URL: choice.baseUrl,
          ...(choice.model ? { ANTHROPIC_MODEL: choice.model } : {}),
        },
      };
    const key = (await commands.input({ title: 'API key', secret: true }))?.trim();
    if (!key) continue;
    const problem = await keepKey(world.homes, key);
    if (problem) commands.notice('warn', `The key is used for this run but could not be kept: ${problem}`);
    return { practice: false, storedKey: key, env: {} };
  }
};
