/** A whole program without a screen over a scripted service, with one agent type: for tests of teams. */
import { join } from 'node:path';
import type { Flags } from '../../src/app/flags.ts';
import type { Host } from '../../src/app/host.ts';
import { createHouse, type House } from '../../src/app/house.ts';
import { createModels } from '../../src/app/models.ts';
import { openRoot, type Root } from '../../src/app/root.ts';
import { openWorld } from '../../src/app/world.ts';
import type { AgentDefinition } from '../../src/contract/agent.ts';
import type { Answer, Question } from '../../src/contract/ask.ts';
import type { SessionEvent } from '../../src/contract/event.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { Mode } from '../../src/contract/mode.ts';
import type { OpenStores } from '../../src/store/open-stores.ts';
import type { ModelServer } from '../support/model-server.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';

const agent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  description: name,
  prompt: `You are the agent type ${name}.`,
  source: 'builtin',
  ...more,
});

const definitions: readonly AgentDefinition[] = [
  agent('general-purpose'),
  agent('planner', { permissionMode: 'plan' }),
];

export interface Crew extends AsyncDisposable {
  readonly place: TempRepo;
  readonly house: House;
  readonly root: Root;
  readonly stores: OpenStores;
  readonly seen: readonly SessionEvent[];
  /** Says it to the lead and waits until the lead and every teammate is quiet. */
  say(text: string): Promise<void>;
  /** Waits until nobody works. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export const openCrew = async (
  server: ModelServer,
  wish: {
    readonly place?: TempRepo;
    readonly resume?: SessionId;
    readonly env?: Readonly<Record<string, string>>;
    readonly definitions?: readonly AgentDefinition[];
    /** The user's. */
    readonly settings?: object;
    readonly mode?: Mode;
    readonly flags?: Partial<Flags>;
    /** Who speaks. */
    readonly definition?: AgentDefinition;
    /** Nobody is there where it answers undefined. */
    readonly answer?: (question: Question) => Answer | undefined;
  } = {},
): Promise<Crew> => {
  const place = wish.place ?? (await tempRepo({ server }));
  if (wish.settings) await place.write(join(place.state, 'settings.json'), JSON.stringify(wish.settings));
  const host: Host = {
    ...({} as Host),
    env: { ...place.env, ...wish.env },
    cwd: place.path,
    home: place.home,
    platform: 'linux',
    uid: process.getuid?.(),
    pid: process.pid,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const flags: Flags = { outputFormat: 'text', inputFormat: 'text', sessionPersistence: true, ...wish.flags };
  const world = await openWorld({ host, flags, trouble: () => undefined });
  const models = await createModels({
    flags,
    env: world.env(),
    loaded: world.loaded(),
    version: '0',
    practice: false,
  });
  const made = await createHouse({ world, models });
  const house = Object.assign(made, {
    library: { ...made.library, agents: () => wish.definitions ?? definitions },
  });
  const from = wish.resume ? await world.stores.transcripts.find(wish.resume) : undefined;
  const opened = await openRoot(house, {
    ...(from ? { source: 'resume' as const, from } : { source: 'startup' as const }),
    mode: wish.mode ?? 'default',
    model: 'claude-sonnet-4-5',
    headless: true,
    ...(wish.definition ? { definition: wish.definition } : {}),
    limits: {},
    standIn: (question) => wish.answer?.(question) ?? { kind: 'none', reason: 'nobody', source: 'headless' },
  });
  if ('refused' in opened) throw new Error(opened.refused);
  const seen: SessionEvent[] = [];
  opened.session.listen((event) => seen.push(event));
  const quiet = async (): Promise<void> => {
    for (let same = 0; same < 2; ) {
      const before = seen.length;
      await opened.conversation.idle();
      await opened.backgroundAgents();
      await opened.conversation.idle();
      same = seen.length === before ? same + 1 : 0;
    }
  };
  const close = async (): Promise<void> => {
    await opened.close('other');
    await house.close();
  };
  return {
    place,
    house,
    root: opened,
    stores: world.stores,
    seen,
    quiet,
    async say(text) {
      await opened.session.send(text);
      await quiet();
    },
    close,
    async [Symbol.asyncDispose]() {
      await close();
      if (!wish.place) await place.dispose();
    },
  };
};
