import { createInterface } from 'node:readline';
import type { Answer, OpenAsk } from '../../contract/ask.ts';
import type { SessionId } from '../../contract/ids.ts';
import type { ScreenCommands, ScreenPorts } from '../../contract/screen.ts';
import type { Session } from '../../contract/session.ts';
import { safeText } from '../../lib/safe-text.ts';
import { type AskUi, choicesOf, freshAsk } from './ask-choices.ts';
import { askKey } from './ask-keys.ts';
import { askLines } from './ask-lines.ts';
import { standingItems } from './history.ts';
import type { Item } from './item.ts';
import { itemLines } from './item-lines.ts';
import { named } from './keys.ts';
import type { RunningScreen, ScreenOptions } from './screen-options.ts';
import { plain } from './span.ts';
import { headLine } from './tool-lines.ts';
import { see } from './view.ts';
import { drained, emptyView, flow, type View } from './view-state.ts';

/**
 * The same conversation as plain lines, one after the other: for dumb terminals and screen readers. Nothing is
 * redrawn, nothing is told by colour or place alone, questions are answered by number, the end of a turn is said.
 */
export function runLines(options: ScreenOptions): RunningScreen {
  const { stdin, stdout } = options;
  const ports: ScreenPorts = { ...options.ports };
  const now = options.now ?? Date.now;
  const look = () => ({
    width: Math.max(20, (stdout.columns || 80) - 1),
    links: false,
    cwd: session?.state().cwd ?? options.cwd,
  });
  const ended = Promise.withResolvers<Awaited<RunningScreen['exit']>>();
  const lines = createInterface({ input: stdin, terminal: false });
  let session: Session | undefined;
  let stop: (() => void) | undefined;
  let view: View = emptyView('' as SessionId);
  let early: string[] = [];
  /** Questions of commands, oldest first; the next line answers the first. */
  const asked: ((line: string | undefined) => void)[] = [];
  let announced: string | undefined;
  let ui: AskUi = freshAsk;
  let over = false;

  const say = (text: string) => void (over || stdout.write(`${text}\n`));
  const show = (item: Item) => say(itemLines(item, look()).map(plain).join('\n'));
  const invite = () => void (over || stdout.write('> '));

  const ask = (open: OpenAsk) => {
    announced = open.id;
    ui = freshAsk;
    repeat(open);
    ports.notify?.({ title: 'Coppice', message: 'A question waits for your answer.', kind: 'question' });
  };
  const repeat = (open: OpenAsk) => {
    const rows = askLines([open], ui, look(), 1000).lines.map(plain);
    say(
      rows
        .slice(0, -2)
        .map((row) => row.replace(/^❯/, ' '))
        .join('\n'),
    );
    stdout.write('Answer by number (add words after it where you want to say more): ');
  };

  const answered = (open: OpenAsk, line: string) => {
    const found = /^\s*([\d,\s]+?)(?:\s+(\D.*))?$/.exec(line);
    const numbers = (found?.[1] ?? '')
      .split(/[,\s]+/)
      .filter(Boolean)
      .map(Number);
    const question = open.question.kind === 'choice' ? open.question.questions[ui.step] : undefined;
    const choices = choicesOf(open, ui);
    const keys = question?.multiSelect
      ? {
          ...ui,
          text: found?.[2] ?? '',
          index: choices.length - 1,
          chosen: [
            ...ui.chosen.slice(0, ui.step),
            numbers.flatMap((n) => question.options[n - 1]?.label ?? []),
          ],
        }
      : { ...ui, text: found?.[2] ?? '', index: (numbers[0] ?? 0) - 1 };
    if (!question?.multiSelect && !choices[keys.index]) return say('Answer with one of the numbers.');
    const step = askKey(open, keys, named('enter'));
    if ('answer' in step) return give(open, step.answer);
    if ('ui' in step && step.ui.step !== ui.step) {
      ui = step.ui;
      return repeat(open);
    }
    if ('ui' in step && step.ui.typing && keys.text === '') {
      const bare = askKey(open, { ...step.ui, text: ' ' }, named('enter'));
      if ('answer' in bare) return give(open, bare.answer);
    }
    say('Add your words after the number.');
  };
  const give = (open: OpenAsk, answer: Answer) => {
    announced = undefined;
    session?.answer(open.id, answer);
  };

  const read = (line: string) => {
    const waiting = asked.shift();
    if (waiting) return waiting(line);
    const [open] = view.asks;
    if (open && announced === open.id) return answered(open, line);
    void submit(line.trim());
  };

  const submit = async (text: string): Promise<void> => {
    if (text === '') return view.busy ? undefined : invite();
    if (!session) return void early.push(text);
    ports.history?.add(text);
    if (text.startsWith('!') && ports.shell) {
      const wrong = await ports.shell(text.slice(1), new AbortController().signal, () => {});
      if (wrong !== undefined) say(safeText(wrong));
      return view.busy ? undefined : invite();
    }
    if (text.startsWith('/') && ports.slash && (await ports.slash.run(text, commands)))
      return view.busy ? undefined : invite();
    if (!ports.submit) return await session.send(text);
    const said = await ports.submit({ text, images: [] });
    if (!said) return;
    say('to' in said ? `Said to ${safeText(said.to)}.` : safeText(said.refused));
    invite();
  };

  const attach: ScreenCommands['attach'] = (next, more) => {
    stop?.();
    session = next;
    Object.assign(ports, more?.ports);
    view = { ...emptyView(next.id), asks: next.openAsks(), busy: next.busy() };
    for (const item of more?.earlier ? standingItems(more.earlier) : []) show(item);
    stop = next.listen((event) => {
      const before = view;
      const folded = flow(see(view, event, now()));
      view = drained(folded);
      // A person reads what they typed already.
      for (const item of folded.items) if (item.kind !== 'user' || item.from) show(item);
      if (event.type === 'tool.started' && event.session === next.id) {
        const call = view.tools.find((one) => one.call === event.call);
        if (call) say(plain(headLine(call, look())).replace(/^○/, 'Running:'));
      }
      if (event.type === 'retry')
        say(`${safeText(event.text)} Trying again in ${Math.ceil(event.delayMs / 1000)} seconds.`);
      const [open] = view.asks;
      if (open && announced !== open.id) ask(open);
      if (before.busy && !view.busy) {
        say('Turn finished.');
        invite();
      }
    });
    const sent = more?.first ? [more.first, ...early] : early;
    early = [];
    for (const text of sent) void submit(text);
    if (sent.length === 0) invite();
  };

  const line = (title: string): Promise<string | undefined> => {
    stdout.write(title);
    return new Promise((resolve) => asked.push(resolve));
  };
  const numbered = async <T>(
    title: string,
    entries: readonly { readonly label: string; readonly value: T }[],
  ): Promise<T | undefined> => {
    say(
      `${safeText(title)}\n${entries.map((entry, index) => `  ${index + 1}. ${safeText(entry.label)}`).join('\n')}`,
    );
    return entries[Number(await line('Number (empty to leave): ')) - 1]?.value;
  };

  const finish = (reason: 'quit' | 'end' | 'command') => {
    if (over) return;
    stop?.();
    over = true;
    for (const waiting of asked.splice(0)) waiting(undefined);
    lines.close();
    ended.resolve({ reason });
  };

  const commands: ScreenCommands = {
    interactive: true,
    print: (text) => show({ kind: 'print', text: safeText(text) }),
    notice: (level, text) => show({ kind: 'note', level, text: safeText(text) }),
    pick: (question) =>
      numbered(
        question.title,
        question.items.map((item) => ({
          value: item.value,
          label: item.hint ? `${item.label} (${item.hint})` : item.label,
        })),
      ),
    input: (question) => line(`${safeText(question.title)}: `),
    confirm: (request) => numbered(`${request.title}\n${request.body}`, request.options),
    panel: async (title, text) => show({ kind: 'print', text: safeText(`# ${title}\n\n${text}`) }),
    fill: (text) => say(`To send, type: ${safeText(text)}`),
    setTheme() {},
    refresh() {},
    attach,
    suspend: (work) => work(),
    exit: () => finish('command'),
  };

  const held = options.takeOver?.() ?? '';
  say(`Coppice ${options.version}. Type a line and press enter; /help lists commands, /exit leaves.`);
  lines.on('line', read);
  lines.on('close', () => finish('end'));
  if (held.trim() !== '') early.push(held.trim());
  if (options.session) attach(options.session, { earlier: options.earlier });
  return { commands, exit: ended.promise, restoreTerminal: () => finish('command') };
}
