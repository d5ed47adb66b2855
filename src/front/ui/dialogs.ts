import type { PickItem, Picking, PickKey } from '../../contract/command.ts';
import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import { lookOf } from './frame.ts';
import type { Host } from './host.ts';
import { chord, type Press } from './keys.ts';
import { markdown } from './markdown.ts';
import { type Page, pageKey, pageOf, relaid } from './page.ts';
import { type Picker, pickKey } from './picker.ts';
import type { Dialog } from './screen-state.ts';
import { type Line, plain, span } from './span.ts';

/** What else a page can do. */
export interface PageMore {
  /** Takes what is typed on the page. */
  say?(text: string): void;
  /** Shows results whole where they were short, and the other way round. */
  toggle?(): void;
  /** Ends what is watched here. */
  stop?(): void;
  /** The rows for the width that the screen has now. */
  lines?(): readonly Line[];
}

/** Lists, lines and pages that commands open; one at a time, others wait their turn. */
export interface Dialogs {
  /** The parts of ScreenCommands that open something. */
  readonly commands: Pick<ScreenCommands, 'print' | 'notice' | 'pick' | 'input' | 'confirm' | 'panel'>;
  key(one: Press): void;
  pageKey(one: Press): void;
  /** Pasted on a page; counts where something can be said. */
  pagePaste(text: string): void;
  openPage(page: Page, more?: PageMore): Promise<void>;
  /** Ends whatever is open. */
  close(): void;
}

interface Open {
  dialog: Dialog;
  over: boolean;
  key(one: Press): void;
  close(): void;
}

export function dialogs(host: Host, screens: { enter(): Promise<void>; leave(): Promise<void> }): Dialogs {
  const { store } = host;
  let turn: Promise<unknown> = Promise.resolve();
  let front: Open | undefined;
  let shut = false;
  let pageClosed: () => void = () => {};
  let more: PageMore = {};

  /** Waits until the one before is done, shows a dialog, answers what its keys decide. */
  const open = <T>(
    first: Dialog,
    step: (
      one: Press,
      now: Dialog,
      set: (next: Dialog) => void,
      done: (value: T | undefined) => void,
    ) => void,
    started?: (set: (change: (now: Dialog) => Dialog) => void) => void,
  ): Promise<T | undefined> => {
    const shown = turn.then(
      () =>
        new Promise<T | undefined>((resolve) => {
          const draw = (dialog: Dialog | undefined) => {
            if (front === mine) store.update((state) => ({ ...state, dialog }));
          };
          const set = (next: Dialog) => {
            mine.dialog = next;
            draw(next);
          };
          const done = (value: T | undefined) => {
            mine.over = true;
            draw(undefined);
            if (front === mine) front = undefined;
            resolve(value);
          };
          const mine: Open = {
            dialog: first,
            over: false,
            key: (one) => step(one, mine.dialog, set, done),
            close: () => done(undefined),
          };
          front = mine;
          set(first);
          started?.((change) => set(change(mine.dialog)));
        }),
    );
    turn = shown;
    return shown;
  };

  /** Does something for the dialog that is open, which may put another one in front of it, and comes back to it. */
  const aside = async <T>(work: () => Promise<T>): Promise<T> => {
    const [behind, waiting] = [front, turn];
    turn = Promise.resolve();
    try {
      return await work();
    } finally {
      turn = waiting;
      if (behind && !behind.over && front !== behind) {
        front = behind;
        if (shut) behind.close();
        else store.update((state) => ({ ...state, dialog: behind.dialog }));
      }
    }
  };

  const pick = <T>(question: Picking<T>): Promise<T | undefined> => {
    let items = question.items;
    const title = () => question.heading?.() ?? question.title;
    const picker: Picker = {
      title: title(),
      items,
      query: '',
      index: Math.max(0, question.initial ?? 0),
      keys: question.keys ?? [],
      searched: question.searched ?? false,
      ...(question.note ? { note: question.note } : {}),
    };
    let previewed = -1;
    let change: (next: (now: Picker) => Picker) => void = () => {};
    /** Shows what stands under the cursor, once it is there. */
    const look = (now: Picker) => {
      const at = pickKey(now, { name: 'enter', ctrl: false, alt: false, shift: false, text: '' });
      const chosen = 'chosen' in at ? at.chosen : -1;
      const item = chosen === previewed ? undefined : items[chosen];
      previewed = chosen;
      if (!item) return;
      void question.preview?.(item.value).then((preview) => {
        if (previewed === chosen) change((picked) => ({ ...picked, preview }));
      });
    };
    let [pressed, shown] = [0, 0];
    const act = async (key: PickKey<T>, item: PickItem<T> | undefined): Promise<void> => {
      const mine = ++pressed;
      const next = await aside(async () => ('list' in key ? key.list() : item && key.act(item.value)));
      // A list that took longer than one asked for after it is of no interest any more.
      if (!next || mine < shown) return;
      shown = mine;
      items = next;
      previewed = -1;
      change((now) => {
        const index = Math.max(0, Math.min(now.index, items.length - 1));
        const picked = { ...now, title: title(), items, preview: undefined, index };
        look(picked);
        return picked;
      });
    };
    return open<T>(
      { kind: 'pick', picker },
      (one, now, set, done) => {
        if (now.kind !== 'pick') return;
        const step = pickKey(now.picker, one);
        if ('left' in step) return done(undefined);
        if ('chosen' in step) return done(items[step.chosen]?.value);
        if ('picker' in step) {
          set({ kind: 'pick', picker: step.picker });
          return look(step.picker);
        }
        const item = step.at === undefined ? undefined : items[step.at];
        const key = question.keys?.find((candidate) => candidate.key === step.key);
        if (key && (item || 'list' in key)) void act(key, item);
      },
      (set) => {
        change = (next) =>
          set((now) => (now.kind === 'pick' ? { kind: 'pick', picker: next(now.picker) } : now));
        look(picker);
      },
    );
  };

  const input: ScreenCommands['input'] = (question) =>
    open<string>(
      {
        kind: 'input',
        title: question.title,
        secret: question.secret ?? false,
        text: question.initial ?? '',
      },
      (one, now, set, done) => {
        if (now.kind !== 'input') return;
        const name = chord(one);
        if (name === 'enter') return done(now.text);
        if (name === 'escape' || name === 'ctrl+c') return done(undefined);
        if (name === 'backspace') return set({ ...now, text: [...now.text].slice(0, -1).join('') });
        if (name === 'ctrl+u') return set({ ...now, text: '' });
        if (one.name === 'text') set({ ...now, text: now.text + one.text });
      },
    );

  const confirm: ScreenCommands['confirm'] = (request) =>
    open<string>({ kind: 'confirm', ...request, index: 0 }, (one, now, set, done) => {
      if (now.kind !== 'confirm') return;
      const name = chord(one);
      const count = now.options.length;
      if (name === 'escape' || name === 'ctrl+c') return done(undefined);
      if (name === 'enter') return done(now.options[now.index]?.value);
      if (name === 'up' || name === 'k') return set({ ...now, index: (now.index + count - 1) % count });
      if (name === 'down' || name === 'j' || name === 'tab')
        return set({ ...now, index: (now.index + 1) % count });
      const direct = /^[1-9]$/.test(name) ? now.options[Number(name) - 1] : undefined;
      if (direct) done(direct.value);
    });

  const openPage: Dialogs['openPage'] = async (page, able = {}) => {
    more = able;
    await screens.enter();
    const left = new Promise<void>((resolve) => {
      pageClosed = resolve;
    });
    store.update((state) => ({ ...state, page }));
    const unfollow = onWidth(store, () => {
      const lines = able.lines?.();
      if (lines)
        store.update((state) =>
          state.page ? { ...state, page: relaid(state.page, lines, state.rows) } : state,
        );
    });
    await left;
    unfollow();
    store.update((state) => ({ ...state, page: undefined }));
    await screens.leave();
  };

  /** The page's text in the person's editor; what they change there changes nothing here. */
  const editPage = async (page: Page): Promise<void> => {
    const edit = host.ports.editText;
    if (edit) await host.suspend(() => edit(page.lines.map(plain).join('\n'), 'md'));
  };

  return {
    commands: {
      print(text) {
        host.show({ kind: 'print', text: safeText(text) });
      },
      notice(level, text) {
        host.show({ kind: 'note', level, text: safeText(text) });
      },
      pick,
      input,
      confirm,
      async panel(title, text, tables) {
        const lines = () => {
          const look = { ...lookOf(store.get()), width: store.get().columns - 2, tables };
          return markdown(safeText(text), look).map((line) => [span(' '), ...line]);
        };
        await openPage(pageOf(title, lines(), store.get().rows, 'top'), { lines });
      },
    },
    key: (one) => front?.key(one),
    pageKey(one) {
      const { page, rows } = store.get();
      if (!page) return;
      const step = pageKey(page, one, rows);
      if ('say' in step) more.say?.(step.say);
      if ('page' in step) return store.update((state) => ({ ...state, page: step.page }));
      if ('dump' in step) host.print(page.lines);
      if ('edit' in step) return void editPage(page);
      if ('toggle' in step) return more.toggle?.();
      if ('stop' in step) return more.stop?.();
      // At once: the next key is for what lies under the page.
      store.update((state) => ({ ...state, page: undefined }));
      pageClosed();
    },
    pagePaste(text) {
      const { page } = store.get();
      if (page?.saying === undefined) return;
      const saying = page.saying + text;
      store.update((state) => ({ ...state, page: { ...page, saying } }));
    },
    openPage,
    close() {
      shut = true;
      front?.close();
      pageClosed();
    },
  };
}

/** Calls when the screen has another width; answers the way to stop. */
const onWidth = (store: Host['store'], changed: () => void): (() => void) => {
  let { columns } = store.get();
  return store.subscribe(() => {
    const now = store.get().columns;
    if (now === columns) return;
    columns = now;
    changed();
  });
};
