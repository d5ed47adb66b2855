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
import { standingItems } from './history.ts';
import type { Host } from './host.ts';
import { presses } from './keys.ts';
import { lending } from './lend-terminal.ts';
import { emptyPrompt, filled, type Prompt } from './prompt.ts';
import { type InkTerminal, Screen } from './screen.tsx';
import type { RunningScreen, ScreenOptions } from './screen-options.ts';
import type { ScreenState } from './screen-state.ts';
import { createScrollback } from './scrollback.ts';
import { createStore, heldStore } from './store.ts';
import { backgroundOf, backgroundQuery, restoreSequence } from './terminal.ts';
import { ansiLines, makeTheme, themeNames } from './theme.ts';
import { whileActive } from './ticker.ts';
import { windowTitle } from './title.ts';
import { ttyInput } from './tty-input.ts';
import { ttyOutput } from './tty-output.ts';
import { emptyView, viewOf } from './view-state.ts';
import { vimWatch } from './vim/vim-watch.ts';
import { welcomeLines } from './welcome-lines.ts';
import { windowSize } from './window-size.ts';

/** Rows that the prompt and what stands around it take. */
const liveRows = 7;

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
  const drawn = heldStore(store);
  const size = windowSize(stdout, {
    hold() {
      drawn.hold();
      scrollback.detach();
    },
    release() {
      drawn.release();
      if (terminal && ink && !altScreen) scrollback.attach(terminal.write);
    },
    again() {
      if (altScreen || lend.lent()) return false;
      resize();
      again('kept');
      return true;
    },
  });
  const lend = lending({
    stdin: options.stdin,
    terminal: () => terminal,
    clear: () => ink?.clear(),
    flush: output.flush,
  });
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
        store={drawn}
        onKey={onKey}
        onPaste={(text) => control.paste(text)}
        onReady={(lent) => onReady(lent, page)}
      />,
      {
        stdin: input.stream,
        stdout: size.stream,
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

  /** Draws the window anew. Where rows of before the program may stand in it, `kept` scrolls them away unwiped. */
  const again = (before: 'wiped' | 'kept') => {
    if (over || altScreen) return;
    input.keepRaw(true);
    unmount();
    const { theme: painted, rows, columns } = store.get();
    // Rows that would be missing from the scrollback weigh more than rows that stand there twice.
    const shown = scrollback.again(columns, before === 'kept' ? rows : Math.max(1, rows - liveRows));
    const wipe =
      shown.all && before === 'kept' ? `\x1b[${rows};1H${'\n'.repeat(rows)}\x1b[H` : '\x1b[H\x1b[J';
    stdout.write(`${wipe}${shown.lines.length > 0 ? `${ansiLines(shown.lines, painted)}\n` : ''}`);
    drawn.release();
    mount(false);
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
    suspend: lend.suspend,
    stopJob: lend.stopJob,
    redraw: () => again('wiped'),
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
      cwd: next.state().cwd,
      facts: facts(),
    }));
    if (more?.earlier) scrollback.show(standingItems(more.earlier));
    reading = feed(next, { store, colours, show: scrollback.show, changed: control.changed, now });
    unfollow = followWork(ports, store);
    if (more?.first) void control.submitText(more.first).then(control.attached);
    else control.attached();
    if (store.get().prompt.buffer.text === '')
      void ports.drafts?.recover?.().then((draft) => {
        if (!draft || store.get().prompt.buffer.text !== '') return;
        store.update((state) => ({ ...state, prompt: { ...state.prompt, images: draft.pictures } }));
        commands.fill(draft.text);
        ports.drafts?.save(draft.text, draft.pictures);
      });
  };

  const resize = () =>
    store.update((state) => ({ ...state, columns: stdout.columns || 80, rows: stdout.rows || 24 }));
  const stopTicking = whileActive(store, options.calm ? 'calm' : 'lively', now);

  const restoreTerminal = () => {
    if (!over) control.keepDraft();
    over = true;
    output.direct();
    const wasAlt = altScreen;
    unmount();
    stdout.write(restoreSequence({ altScreen: wasAlt && altScreen, kitty: false }));
    options.stdin.setRawMode?.(false);
  };

  const finish = (reason: 'quit' | 'end' | 'command') => {
    if (over) return;
    reading?.flush();
    reading?.stop();
    unfollow?.();
    stopTicking();
    clearTimeout(hintTimer);
    size.stream.off('resize', resize);
    size.stop();
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
  size.stream.on('resize', resize);
  const forgetTitle = windowTitle(store, (text) => void stdout.write(text));
  const forgetCaret = caretShape(store, (text) => void stdout.write(text));
  if (themeName === 'auto' && options.color.level > 0) stdout.write(backgroundQuery);
  return { commands, exit: ended.promise, vim: vimWatch(store), restoreTerminal };
}
