/** The house behind the screen, which takes keys already and gets its conversation as soon as there is one. */
import { colorCommand } from '../commands/color.ts';
import { themeCommand } from '../commands/theme.ts';
import type { SessionSwitch } from '../contract/command.ts';
import type { ScreenCommands, ScreenPorts } from '../contract/screen.ts';
import type { RunningScreen } from '../front/ui/screen-options.ts';
import { themeNames } from '../front/ui/theme.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { askChanges } from './ask-changes.ts';
import { askImports } from './ask-imports.ts';
import { slashOf } from './builtin-commands.ts';
import { warnedOfBypass } from './bypass-warning.ts';
import { editFile } from './editor.ts';
import { endSignals } from './end-signals.ts';
import { chooseModelAccess } from './first-run.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { keyProgram } from './key-program.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { modeOf, modeRefusal, modesOffered } from './mode-choice.ts';
import { createModels, type Models } from './models.ts';
import { nextRoot } from './next-root.ts';
import { openRoot, type Root } from './root.ts';
import { screenFacts } from './screen-facts.ts';
import { promptColourOf, themesOf } from './screen-looks.ts';
import { saidTo, screenPorts } from './screen-ports.ts';
import type { Slash } from './slash.ts';
import { choosePast, firstWords, wishOf } from './start.ts';
import { startProblems } from './start-problems.ts';
import { runStatusLine, type StatusLineRunner } from './status-line.ts';
import { tidyLater } from './tidy.ts';
import { askTrust } from './trust-text.ts';
import { createTyping, type Typing } from './typing-habits.ts';
import { VERSION } from './version.ts';
import { openWorld, type World } from './world.ts';

/** What is open now; one at a time. */
interface Open {
  readonly house: House;
  readonly slash: Slash;
  readonly typing: Typing;
  root: Root;
}

export const interactive = async (
  host: Host,
  flags: Flags,
  prompt: string | undefined,
  screen: RunningScreen,
): Promise<number> => {
  const { env } = host;
  let open: Open | undefined;
  let models: Models | undefined;
  let lifecycle: Lifecycle | undefined;
  let beforePrompt: (() => Promise<unknown>) | undefined;
  let statusLine: StatusLineRunner | undefined;
  const { commands } = screen;
  const colour = promptColourOf(commands);
  let signalled: number | undefined;
  let farewell: 'prompt_input_exit' | 'logout' = 'prompt_input_exit';
  /** Opening, switching and ending follow each other. */
  const inTurn = oneAtATime();
  let leaving = false;
  /** What the conversation that is open now takes: what is typed while another one is opened goes to that. */
  let ports: ScreenPorts = {};
  const portsNow = (): Promise<ScreenPorts> => inTurn(async () => ports);
  const ending = endSignals(host);
  ending.listen(() => {
    signalled ??= ending.code();
    commands.exit();
  });

  host.onFault(() => open?.root.close('other'));

  // The terminal went away: what is not on disk yet still gets there.
  const gone = (): void => {
    signalled ??= 129;
    commands.exit();
  };
  for (const stream of [host.stdin, host.stdout, host.stderr]) stream.on('error', gone);

  const begin = async (): Promise<void> => {
    const world = await openWorld({
      host,
      flags,
      trouble: (text) => commands.notice('warn', text),
      ask: (question) => askTrust(commands, question),
    });
    if (world.stores.warning) commands.notice('warn', world.stores.warning);
    for (const problem of world.loaded().problems) commands.notice('warn', problem.text);
    const theme = world.loaded().settings.theme;
    if (theme && themeNames.some((name) => name === theme)) commands.setTheme(theme);
    const stricterMode = modeRefusal(world.loaded());
    if (stricterMode) commands.notice('warn', stricterMode);
    const bypass =
      modesOffered(world, flags).includes('bypassPermissions') ||
      modeOf(world, flags) === 'bypassPermissions';
    if (bypass && !(await warnedOfBypass(commands, world))) return commands.exit();
    const access = await chooseModelAccess(world, flags, commands);
    if (!access) {
      commands.exit();
      return;
    }
    models = await createModels({
      flags,
      env: { ...world.env(), ...access.env },
      loaded: world.loaded(),
      storedKey: access.storedKey,
      version: VERSION,
      helper: keyProgram(world),
      practice: access.practice,
    });
    const house = await createHouse({ world, models, tell: (text) => commands.notice('warn', text) });
    const mayUse = askChanges(commands, world, async () => {
      await house.plugins.reload();
      await Promise.all([house.servers.reload(), house.library.catalog.refresh()]);
    });
    const typing = await createTyping(world);
    for (const problem of typing.problems()) commands.notice('warn', problem);
    if (house.commands.trouble) commands.notice('warn', house.commands.trouble);
    if (house.voice.problem) commands.notice('warn', house.voice.problem);
    const slash = slashOf(house, {
      write: (bytes) => void host.stdout.write(bytes),
      edit: (path) => commands.suspend(() => editFile(path, env)),
      reloadKeys: typing.reload,
      acceptChanges: () => mayUse('again'),
      more: [themeCommand(themesOf(world, commands)), colorCommand(colour)],
    });
    const past = flags.resume === true ? await pickPast(commands, world) : await choosePast(world, flags);
    const wish = { ...past, ...(await wishOf(house, flags, false)) };
    await inTurn(async () => {
      if (leaving) return;
      lifecycle = createLifecycle(house, {
        mayUse,
        tell: (text) => commands.notice('warn', text),
        typing,
      });
      const root = await openRoot(house, { ...wish, follow: lifecycle.follow });
      if ('refused' in root) {
        commands.notice('error', root.refused);
        signalled = 1;
        return commands.exit();
      }
      const mayImport = askImports(commands, house.instructions);
      beforePrompt = async () => {
        await house.library.ready();
        await mayUse();
        await mayImport((open?.root ?? root).session.state());
      };
      open = { house, slash, root, typing };
      for (const text of startProblems(house, root.session.state())) commands.notice('warn', text);
      show(open, world, { first: firstWords(open.root, past.source, prompt) });
      void house.library.fresh();
    });
    void models.client.warm();
    tidyLater(world);
  };

  /** Puts the conversation on the screen. */
  const show = (
    now: Open,
    world: World,
    { first, earlier = true }: { readonly first?: string; readonly earlier?: boolean } = {},
  ): void => {
    const { house, slash } = now;
    const { root } = now;
    for (const note of root.notes) commands.notice('warn', note);
    lifecycle?.attend(root);
    statusLine?.stop();
    statusLine = runStatusLine(
      house,
      root,
      {
        size: () => ({ columns: host.stdout.columns, rows: host.stdout.rows }),
        vim: screen.vim,
      },
      () => commands.refresh(),
    );
    ports = screenPorts({
      world,
      house,
      slash,
      root,
      commands,
      typing: now.typing.habits,
      beforePrompt: async () => beforePrompt?.(),
      exit: (reason) => {
        farewell = reason ?? farewell;
        commands.exit();
      },
      switchTo: (to) => switchTo(to, world),
    });
    commands.attach(root.session, {
      ...(earlier ? { earlier: root.earlier } : {}),
      first,
      facts: () =>
        screenFacts(
          house,
          root.session.state(),
          modesOffered(world, flags),
          statusLine?.text(),
          colour.now(),
        ),
      ports: saidTo(portsNow, ports),
    });
  };

  const switchTo = (to: SessionSwitch, world: World): Promise<void> =>
    inTurn(async () => {
      if (!open || leaving) return;
      const next = await nextRoot(open.house, flags, open.root, to, lifecycle?.follow);
      if ('refused' in next) {
        commands.notice('error', next.refused);
        return next.nowhere && commands.exit();
      }
      open.root = next.root;
      if (open.house.voice.problem) commands.notice('warn', open.house.voice.problem);
      if (next.instead) commands.notice('error', next.instead);
      const copied = to.how === 'fork' && !next.instead;
      if (copied && to.name)
        await next.root.session.record({ type: 'title', title: to.name, byPerson: true });
      if (leaving) return;
      show(open, world, { earlier: !copied });
      if (copied)
        commands.notice(
          'info',
          `You are in a copy now; the conversation it comes of stays: /resume ${to.id}`,
        );
    });

  begin().catch((error: unknown) => {
    signalled = 1;
    screen.restoreTerminal();
    host.tell(`coppice: ${error instanceof Error ? error.message : String(error)}\n`);
    if (env.COPPICE_DEBUG && error instanceof Error) host.tell(`${error.stack}\n`);
    host.exit(1);
  });
  await screen.exit;
  leaving = true;
  await inTurn(async () => {
    if (!open) return;
    const { root, house } = open;
    await root.close(signalled === undefined ? farewell : 'other');
    statusLine?.stop();
    await lifecycle?.close();
    await house.close();
    const { session } = root;
    if (session.state().messages.length > 0 && !house.world.stores.memoryOnly)
      host.print(`Go on with this conversation: coppice --resume ${session.id}\n`);
  });
  return signalled ?? 0;
};

const pickPast = async (commands: ScreenCommands, world: World) => {
  const { pickConversation } = await import('../commands/resume.ts');
  const { conversationsOf } = await import('./past.ts');
  const chosen = await pickConversation(conversationsOf(world), commands);
  return chosen && chosen !== 'none'
    ? ({ source: 'resume', from: chosen } as const)
    : ({ source: 'startup' } as const);
};
