import { type Instance, type Key, render } from 'ink';
import type { SessionId } from '../../contract/ids.ts';
import type { ScreenCommands, ScreenPorts } from '../../contract/screen.ts';
import type { Session } from '../../contract/session.ts';
import { caretShape } from './caret-shape.ts';
import { controller } from './controller.ts';
import { dialogs } from './dialogs.ts';
import { type Feed, feed } from './feed.ts';
import { followWork, noTasks } from './follow-work.ts';
import { type Colours, createColours } from './highlight.ts';
import { pastItems } from './history.ts';
import type { Host } from './host.ts';
import { presses } from './keys.ts';
import { emptyPrompt, filled, type Prompt } from './prompt.ts';
import { type InkTerminal, Screen } from './screen.tsx';
import type { RunningScreen, ScreenOptions } from './screen-options.ts';
import type { ScreenState } from './screen-state.ts';
import { createScrollback } from './scrollback.ts';
import { createStore } from './store.ts';
import { backgroundOf, backgroundQuery, restoreSequence } from './terminal.ts';
import { ansiLines, makeTheme, themeNames } from './theme.ts';
import { whileActive } from './ticker.ts';
import { windowTitle } from './title.ts';
import { ttyInput } from './tty-input.ts';
import { ttyOutput } from './tty-output.ts';
import { emptyView, viewOf } from './view-state.ts';
import { welcomeLines } from './welcome-lines.ts';

/** Rows that the prompt and what stands around it take. */
const liveRows = 7;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Opens the screen on a session. */
export function runScreen(options: ScreenOptions): RunningScreen {
  const output = ttyOutput(options.stdout);
  const stdout = output.stream;
  const ports: ScreenPorts = { ...options.ports };
  let facts = options.facts;
  const now = options.now ?? Date.now;
  let session: Session | undefined = options.session;
  let background = options.color.background;
  let themeName = options.theme;
  const theme = () =>
    makeTheme({ name: themeName, level: options.color.level, links: options.color.links, background });
  const initial: Prompt = ports.drafts?.initial ? filled(emptyPrompt, ports.drafts.initial) : emptyPrompt;
  const store = createStore<ScreenState>({
    view: emptyView('' as SessionId),
    prompt: initial,
    facts: facts(),
    theme: theme(),
    cwd: options.cwd,
    columns: stdout.columns || 80,
    rows: stdout.rows || 24,
    now: now(),
    tick: 0,
    row: false,
    asks: {},
    help: false,
    tasksShown: false,
    tasks: noTasks,
    waiting: [],
  });
  const colours: Colours =
    options.colours ??
    createColours(() => store.update((state) => ({ ...state, highlight: colours.painter() })));
  store.update((state) => ({ ...state, highlight: colours.painter() }));
  const input = ttyInput(options.stdin);
  const scrollback = createScrollback(store);
  const ended = Promise.withResolvers<{ readonly reason: 'quit' | 'end' | 'command' }>();
  let ink: Instance | undefined;
  let terminal: InkTerminal | undefined;
  let altScreen = false;
  let hintTimer: NodeJS.Timeout | undefined;
  let over = false;

  const mount = (page: boolean) => {
    altScreen = page;
    ink = render(
      <Screen
        store={store}
        onKey={onKey}
        onPaste={(text) => control.paste(text)}
        onReady={(lent) => onReady(lent, page)}
      />,
      {
        stdin: input.stream,
        stdout,
        exitOnCtrlC: false,
        patchConsole: false,
        interactive: true,
        incrementalRendering: true,
        maxFps: 1000,
        alternateScreen: page,
        kittyKeyboard: { mode: 'auto', flags: ['disambiguateEscapeCodes', 'reportAlternateKeys'] },
      },
    );
  };
  const unmount = () => {
    scrollback.detach();
    // What is live is drawn again elsewhere; nothing of it stays behind in the scrollback.
    if (!altScreen) ink?.clear();
    ink?.unmount();
    ink = undefined;
  };
  const onReady = (lent: InkTerminal, page: boolean) => {
    terminal = lent;
    input.keepRaw(false);
    if (!page) scrollback.attach(lent.write);
    // What was held has no event of its own to announce it.
    setImmediate(() => options.stdin.emit('readable'));
  };
  const onKey = (text: string, key: Key) => {
    for (const one of presses(text, key)) control.key(one);
  };

  const swap = async (page: boolean): Promise<void> => {
    if (over) return;
    input.keepRaw(true);
    unmount();
    mount(page);
  };

  const host: Host = {
    store,
    ports,
    session: () => session,
    flush: () => reading?.flush(),
    show(...items) {
      reading?.flush();
      scrollback.show(items);
    },
    print: scrollback.print,
    hint(text, ms) {
      clearTimeout(hintTimer);
      store.update((state) => ({ ...state, hint: text }));
      if (text !== undefined && ms !== undefined)
        hintTimer = setTimeout(
          () => store.update((state) => ({ ...state, hint: undefined, armed: undefined })),
          ms,
        );
    },
    async suspend(work) {
      const app = terminal;
      if (!app) return work();
      let result: { readonly value: Awaited<ReturnType<typeof work>> } | undefined;
      // The other program, or the shell, begins where the frame was.
      ink?.clear();
      await app.suspendTerminal(async () => {
        // Node would go on reading the terminal and take keys from the other program. It stops a turn after it
        // was told so, and can only be told a turn after Ink stopped listening.
        await turn();
        options.stdin.pause();
        await turn();
        // A stopped process writes nothing more: the erased frame goes out first.
        output.flush();
        result = { value: await work() };
      });
      if (!result) throw new Error('the terminal was not handed over');
      return result.value;
    },
    stopJob() {
      void host.suspend(
        () =>
          new Promise<void>((resolve) => {
            // Without a timer Node would end as soon as it goes on.
            const alive = setInterval(() => {}, 60_000);
            process.once('SIGCONT', () => {
              clearInterval(alive);
              resolve();
            });
            process.kill(0, 'SIGTSTP');
          }),
      );
    },
    redraw() {
      if (over || altScreen) return;
      input.keepRaw(true);
      unmount();
      const { theme: painted, rows } = store.get();
      const shown = scrollback.recent(Math.max(1, rows - liveRows));
      stdout.write(`\x1b[H\x1b[J${shown.length > 0 ? `${ansiLines(shown, painted)}\n` : ''}`);
      mount(false);
    },
    exit: (reason) => finish(reason),
    refresh: () => store.update((state) => ({ ...state, facts: facts() })),
    bell: () => void stdout.write('\x07'),
    now,
  };

  const boxes = dialogs(host, { enter: () => swap(true), leave: () => swap(false) });
  const commands: ScreenCommands = {
    interactive: true,
    ...boxes.commands,
    fill: (text) => store.update((state) => ({ ...state, prompt: filled(state.prompt, text) })),
    setTheme(name) {
      themeName = themeNames.find((known) => known === name) ?? themeName;
      store.update((state) => ({ ...state, theme: theme() }));
    },
    refresh: host.refresh,
    attach: (next, more) => attach(next, more),
    suspend: host.suspend,
    exit: () => finish('command'),
  };
  const control = controller(host, boxes, commands);
  let reading: Feed | undefined;
  let unfollow: (() => void) | undefined;

  const attach: ScreenCommands['attach'] = (next, more) => {
    reading?.stop();
    unfollow?.();
    session = next;
    Object.assign(ports, more?.ports);
    facts = more?.facts ?? facts;
    const view = viewOf(next, more?.ports?.agents?.list() ?? [], now());
    store.update((state) => ({
      ...state,
      view,
      agentFocus: undefined,
      asks: {},
      waiting: [],
      cwd: next.state().cwd,
      facts: facts(),
    }));
    if (more?.earlier) scrollback.show(pastItems(more.earlier));
    reading = feed(next, { store, colours, show: scrollback.show, changed: control.changed, now });
    unfollow = followWork(ports, store);
    if (more?.first) void control.submitText(more.first).then(control.attached);
    else control.attached();
    if (store.get().prompt.buffer.text === '')
      void ports.drafts?.recover?.().then((text) => {
        if (!text || store.get().prompt.buffer.text !== '') return;
        commands.fill(text);
        ports.drafts?.save(text);
      });
  };

  const resize = () =>
    store.update((state) => ({ ...state, columns: stdout.columns || 80, rows: stdout.rows || 24 }));
  const stopTicking = whileActive(store, options.calm ? 'calm' : 'lively', now);

  const restoreTerminal = () => {
    over = true;
    output.direct();
    const wasAlt = altScreen;
    unmount();
    stdout.write(restoreSequence({ altScreen: wasAlt && altScreen, kitty: false }));
    options.stdin.setRawMode?.(false);
  };

  const finish = (reason: 'quit' | 'end' | 'command') => {
    if (over) return;
    control.keepDraft();
    reading?.flush();
    reading?.stop();
    unfollow?.();
    stopTicking();
    clearTimeout(hintTimer);
    stdout.off('resize', resize);
    boxes.close();
    forgetTitle();
    forgetCaret();
    restoreTerminal();
    process.off('exit', output.direct);
    ended.resolve({ reason });
  };

  // Ink tidies up when the program exits, later than anything that waits could be written.
  process.once('exit', output.direct);
  input.onReply((reply) => {
    const found = backgroundOf(reply);
    if (!found || found === background) return;
    background = found;
    store.update((state) => ({ ...state, theme: theme() }));
  });
  input.hold(options.takeOver?.() ?? '');
  if (options.welcome !== false) {
    const welcome = welcomeLines(options.version, store.get().facts, store.get().columns);
    const { level } = options.color;
    stdout.write(`${ansiLines(welcome, makeTheme({ name: 'either', level, links: false, background }))}\n`);
    scrollback.began(welcome);
  }
  if (session) attach(session, { earlier: options.earlier });
  mount(false);
  stdout.on('resize', resize);
  const forgetTitle = windowTitle(store, (text) => void stdout.write(text));
  const forgetCaret = caretShape(store, (text) => void stdout.write(text));
  if (themeName === 'auto' && options.color.level > 0) stdout.write(backgroundQuery);
  return { commands, exit: ended.promise, restoreTerminal };
}
