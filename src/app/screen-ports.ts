/** What the screen reaches of one open conversation. */
import { stat } from 'node:fs/promises';
import type { SessionSwitch } from '../contract/command.ts';
import type { SessionId } from '../contract/ids.ts';
import type { TypingHabits } from '../contract/keys.ts';
import type { SaidTo, ScreenCommands, ScreenPorts, Typed } from '../contract/screen.ts';
import type { Entry } from '../contract/transcript.ts';
import { errorText } from '../lib/error-text.ts';
import { mask } from '../lib/mask.ts';
import { agentPort } from './agent-port.ts';
import type { HookHouse } from './hook-house.ts';
import type { Library } from './library.ts';
import { notify } from './lifecycle.ts';
import { createMentions } from './mentions.ts';
import type { ModelHabits } from './model-habits.ts';
import type { Models } from './models.ts';
import type { Root } from './root.ts';
import { screenImages } from './screen-images.ts';
import type { ServerHouse } from './server-house.ts';
import { shellLine } from './shell-line.ts';
import type { Slash } from './slash.ts';
import { addressed, namesOf, nobody, speakTo, transcriptFor } from './speak-to.ts';
import { taskPort } from './task-port.ts';
import { teamPort } from './team-port.ts';
import type { World } from './world.ts';

/** What the screen uses of what all conversations share. */
export interface ScreenGround {
  readonly world: World;
  readonly models: Models;
  readonly habits: ModelHabits;
  readonly library: Library;
  readonly servers: ServerHouse;
  readonly hookHouse: HookHouse;
}

export interface ScreenPortsWish {
  readonly house: ScreenGround;
  readonly slash: Slash;
  readonly root: Root;
  readonly commands: ScreenCommands;
  typing(): TypingHabits;
  /** What changed on disk is asked about before the model hears of anything. */
  beforePrompt(): Promise<unknown>;
  exit(reason?: 'logout'): void;
  switchTo(to: SessionSwitch): Promise<void>;
}

export const screenPorts = (wish: ScreenPortsWish): ScreenPorts => {
  const { house, slash, root } = wish;
  const { world, models, library, hookHouse } = house;
  const place = { world, root };
  const runLine = async (line: string, shown: ScreenCommands): Promise<boolean> => {
    const name = /^\/(\S+)/.exec(line)?.[1] ?? '';
    try {
      await library.upToDate();
      if (slash.registry.find(name)?.source === 'project') await wish.beforePrompt();
    } catch (error) {
      shown.notice('error', `${line} did not run: ${errorText(error)}`);
      return true;
    }
    return slash.run(line, root.session, shown, {
      send: (text, display = line) => root.session.send(text, undefined, { display, mentions: [] }),
      switchTo: wish.switchTo,
      exit: wish.exit,
      scope: root.conversation.scope,
    });
  };
  const remember = (text: string): void =>
    void world.stores.history.add(mask(text, models.secrets), {
      project: world.project,
      session: root.session.id,
    });
  let read: { readonly path: string; readonly size: number; readonly entries: readonly Entry[] } | undefined;
  /** Nothing before the first message is written. An open page asks again and again: what did not grow is not read. */
  const entriesOf = async (path: string): Promise<readonly Entry[]> => {
    const size = (await stat(path).catch(() => undefined))?.size;
    if (size === undefined) return [];
    if (read?.path !== path || read.size !== size) {
      const loaded = await world.stores.transcripts.load(path).catch(() => undefined);
      read = { path, size, entries: loaded?.entries ?? [] };
    }
    return read.entries;
  };
  const submit = async (typed: Typed): Promise<SaidTo | undefined> => {
    await wish.beforePrompt();
    const told = await addressed(place, typed.text);
    if (told) {
      const refused = await speakTo(place, told.id, told.text, typed.images);
      return refused === undefined ? { to: told.name } : { refused };
    }
    const refused = await nobody(place, typed.text);
    if (refused) return { refused };
    await root.session.send(typed.text, typed.images);
    return undefined;
  };

  return {
    chooseModel: () => void runLine('/model', wish.commands),
    ...(slash.registry.find('rewind') ? { rewind: () => void runLine('/rewind', wish.commands) } : {}),
    // What could not be said goes back to where it was typed.
    submit: (typed) =>
      submit(typed).catch((error: unknown) => ({ refused: `Not sent: ${errorText(error)}` })),
    slash: {
      list: () => slash.registry.list(),
      find: (name) => slash.registry.find(name),
      fresh: library.fresh,
      look: library.upToDate,
      run: runLine,
    },
    history: {
      recent: async () =>
        (await world.stores.history.recent({ project: world.project, limit: 1000 })).map((item) => item.text),
      add: remember,
    },
    completions: createMentions(world, {
      cwd: () => root.session.state().cwd,
      agents: async () => {
        await library.upToDate();
        return library.agents();
      },
      resources: () => house.servers.servers.resources(),
      named: () => namesOf(place),
    }),
    notify: (notice) => void notify(hookHouse.hooks, root.conversation.scope(), notice),
    drafts: {
      save: (text, pictures) =>
        world.stores.drafts.save(root.session.id, world.project, mask(text, models.secrets), pictures),
      recover: async () => {
        const [newest, ...older] = await world.stores.drafts.recover(world.project);
        // One prompt shows one of them; the others are an Up away.
        for (const draft of older.toReversed()) remember(draft.text);
        return newest;
      },
    },
    images: screenImages(() => root.session.state().cwd, world.homes.user),
    tasks: taskPort(root.session, world.stores.tasks),
    team: teamPort({ session: root.session, ...world.stores, look: root.sight.look }),
    typing: wish.typing,
    agentTranscript: async (agent) => entriesOf(await transcriptFor(place, agent as SessionId)),
    shell: shellLine(world, models, root),
    transcript: () => entriesOf(root.conversation.scope().transcriptPath),
    agents: agentPort(place),
    toggleThinking: async () => {
      const on = root.session.state().thinkingTokens > 0;
      await root.session.record({
        type: 'model',
        thinkingTokens: on ? 0 : Math.max(house.habits.thinkingFor(root.session.state().model), 8000),
      });
      return on ? 'Thinking is off.' : 'Thinking is on.';
    },
  };
};

/** The same ports, but what is typed goes to those of the conversation that is open then. */
export const saidTo = (now: () => Promise<ScreenPorts>, ports: ScreenPorts): ScreenPorts => ({
  ...ports,
  submit: async (typed) => await (await now()).submit?.(typed),
  shell: async (...command) => await (await now()).shell?.(...command),
  ...(ports.slash
    ? {
        slash: { ...ports.slash, run: async (...line) => (await (await now()).slash?.run(...line)) ?? false },
      }
    : {}),
});
