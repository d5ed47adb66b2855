/** A run before a screen, which takes keys already and gets its conversation as soon as there is one. */
import type { ScreenCommands } from '../contract/screen.ts';
import type { RunningScreen } from '../front/ui/screen-options.ts';
import { errorText } from '../lib/error-text.ts';
import { isFolder } from '../lib/is-folder.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { endSignals } from './end-signals.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import type { House } from './house.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { openRoot } from './root.ts';
import { openScreenHouse } from './screen-house.ts';
import { promptColourOf } from './screen-looks.ts';
import { createStage, type Stage } from './stage.ts';
import { choosePast, firstWords, wishOf } from './start.ts';
import { startProblems } from './start-problems.ts';
import { tidyLater } from './tidy.ts';
import type { World } from './world.ts';

/** What is open; closed at the end. */
interface Open {
  readonly house: House;
  readonly lifecycle: Lifecycle;
  readonly stage: Stage;
}

export const interactive = async (
  host: Host,
  flags: Flags,
  prompt: string | undefined,
  screen: RunningScreen,
): Promise<number> => {
  const { commands } = screen;
  const inTurn = oneAtATime();
  let open: Open | undefined;
  /** Closed also where no conversation came to be. */
  let built: House | undefined;
  let leaving = false;
  /** Set where it is not the person who ends it. */
  let code: number | undefined;
  const leave = (why: number | undefined): void => {
    code ??= why;
    commands.exit();
  };
  const ending = endSignals(host);
  ending.listen(() => leave(ending.code()));
  host.onFault(() => open?.stage.root().close('other'));
  // The terminal went away: what is not on disk yet still gets there.
  for (const stream of [host.stdin, host.stdout, host.stderr]) stream.on('error', () => leave(129));

  const begin = async (): Promise<void> => {
    const colour = promptColourOf(commands);
    const opened = await openScreenHouse(host, flags, commands, colour);
    if (!opened) return commands.exit();
    const { house, mayUse, typing } = opened;
    built = house;
    const { world } = house;
    const past = flags.resume === true ? await pickPast(commands, world) : await choosePast(world, flags);
    const wish = { ...past, ...(await wishOf(house, flags, false)) };
    await inTurn(async () => {
      if (leaving) return;
      const tell = (text: string) => commands.notice('warn', text);
      const lifecycle = createLifecycle(house, { mayUse, tell, typing });
      const root = await openRoot(house, { ...wish, follow: lifecycle.follow });
      if ('refused' in root) {
        commands.notice('error', root.refused);
        return leave(1);
      }
      const stage = createStage(
        { ...opened, host, screen, colour, lifecycle, inTurn, leaving: () => leaving },
        root,
      );
      open = { house, lifecycle, stage };
      for (const text of startProblems(house, root.session.state())) tell(text);
      stage.show({ first: firstWords(root, past.source, prompt) });
      void house.library.fresh();
    });
    void house.models.client.warm();
    tidyLater(world);
  };

  begin().catch((error: unknown) => {
    code = 1;
    screen.restoreTerminal();
    host.tell(`coppice: ${errorText(error)}\n`);
    if (host.env.COPPICE_DEBUG && error instanceof Error) host.tell(`${error.stack}\n`);
    host.exit(1);
  });
  await screen.exit;
  leaving = true;
  await inTurn(async () => {
    if (!open) return await built?.close();
    const { house, lifecycle, stage } = open;
    await stage.close(code === undefined ? 'asked' : 'other');
    await lifecycle.close();
    await house.close();
    const { session } = stage.root();
    const { worktree, messages } = session.state();
    if (worktree && (await isFolder(worktree.path))) host.print(`The worktree stays in ${worktree.path}.\n`);
    if (messages.length > 0 && !house.world.stores.memoryOnly)
      host.print(`Go on with this conversation: coppice --resume ${session.id}\n`);
  });
  return code ?? 0;
};

const pickPast = async (commands: ScreenCommands, world: World) => {
  const { pickConversation } = await import('../commands/resume.ts');
  const { conversationsOf } = await import('./past.ts');
  const chosen = await pickConversation(conversationsOf(world), commands);
  return chosen && chosen !== 'none'
    ? ({ source: 'resume', from: chosen } as const)
    : ({ source: 'startup' } as const);
};
