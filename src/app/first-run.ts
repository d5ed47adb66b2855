/** No key yet: paste one, use a local server, or practise offline. */
import type { PickItem } from '../contract/command.ts';
import type { ScreenCommands } from '../contract/screen.ts';
import { findLocalServers, type LocalServer } from '../model/local.ts';
import type { Flags } from './flags.ts';
import { keepChoice, lastChoice } from './model-choice.ts';
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
  const [local, last] = await Promise.all([findLocalServers(), lastChoice(world)]);
  const items = choices(local);
  for (;;) {
    const choice = await commands.pick<Choice>({
      title: 'Which model shall answer?',
      items,
      initial: items.findIndex(({ value }) => nameOf(value) === last),
      note: noteOn(local),
    });
    if (!choice) return undefined;
    const key = choice.kind === 'key' ? await askKey(world, commands) : undefined;
    if (choice.kind === 'key' && !key) continue;
    const unkept = await keepChoice(world, nameOf(choice));
    if (unkept) commands.notice('warn', `The choice could not be kept for the next start: ${unkept}`);
    return accessOf(choice, key);
  }
};

const choices = (local: readonly LocalServer[]): readonly PickItem<Choice>[] => [
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
    hint: 'offline, no language model: shows how it works',
  },
];

const nameOf = (choice: Choice): string => (choice.kind === 'local' ? choice.baseUrl : choice.kind);

const noteOn = (local: readonly LocalServer[]): string =>
  [
    ...(local.length === 0
      ? ['No local server found: start one (Ollama, LM Studio), or set ANTHROPIC_BASE_URL.']
      : []),
    'Asked until a key or server is set; --practice skips it.',
  ].join(' ');

/** Undefined when none was given. */
const askKey = async (world: World, commands: ScreenCommands): Promise<string | undefined> => {
  const key = (await commands.input({ title: 'API key', secret: true }))?.trim();
  if (!key) return undefined;
  const problem = await keepKey(world.homes, key);
  if (problem) commands.notice('warn', `The key is used for this run but could not be kept: ${problem}`);
  return key;
};

const accessOf = (choice: Choice, storedKey: string | undefined): ModelAccess => {
  switch (choice.kind) {
    case 'practice':
      return { practice: true, env: {} };
    case 'key':
      return { practice: false, storedKey, env: {} };
    case 'local':
      return {
        practice: false,
        env: {
          ANTHROPIC_BASE_URL: choice.baseUrl,
          ...(choice.model ? { ANTHROPIC_MODEL: choice.model } : {}),
        },
      };
  }
};
