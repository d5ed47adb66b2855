/** The rounds of a run without a person: each message is answered, and what it came to is told (conventions 10). */
import { randomUUID } from 'node:crypto';
import type { StreamMessage } from '../front/headless/input.ts';
import { createLines } from '../front/headless/lines.ts';
import { type RunEnd, resultOf } from '../front/headless/result.ts';
import { mask } from '../lib/mask.ts';
import { waitCeiling } from './agent-limits.ts';
import { controlDesk } from './control-desk.ts';
import type { EndSignals } from './end-signals.ts';
import type { Flags } from './flags.ts';
import { headlessLine, slashNamesOf } from './headless-slash.ts';
import type { Host } from './host.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import { endOf, initLine } from './run-end.ts';
import { readMessages } from './stream-input.ts';
import { waitedFor, workClock } from './work-clock.ts';

export interface Run {
  readonly host: Host;
  readonly flags: Flags;
  readonly house: House;
  readonly root: Root;
  /** What of the prompt was typed: `@file` means a file there, and not in what was piped in. */
  readonly argument: string | undefined;
  readonly prompt: string;
  readonly started: number;
  readonly ending: EndSignals;
}

const LONG_WAIT_MS = 10_000;

/** Whoever looks on is told why nothing comes for so long: once for a wait, however many agents it keeps. */
const longWaits = (tell: (text: string) => void) => {
  let until = 0;
  return {
    tell({ delayMs, text }: { readonly delayMs: number; readonly text: string }): void {
      const end = performance.now() + delayMs;
      if (delayMs < LONG_WAIT_MS || end < until + LONG_WAIT_MS) return;
      until = end;
      tell(`${text} Trying again in ${Math.ceil(delayMs / 1000)} seconds.`);
    },
  };
};

/** Where a run speaks: standard output until its reader leaves; and what breaks it off. */
const outletOf = ({ host, house, ending }: Run) => {
  // Whoever read our warnings has gone: the work goes on.
  host.stderr.on('error', () => undefined);
  let closed = false;
  // A signal, or a reader that left: the turn is broken off by closing the conversation.
  const { promise: broken, resolve } = Promise.withResolvers<void>();
  const breakOff = (): void => {
    resolve();
    host.stdin.destroy();
  };
  ending.listen(breakOff);
  host.stdout.on('error', () => {
    closed = true;
    breakOff();
  });
  const masked = (text: string) => `${mask(text, house.models.secrets)}\n`;
  const write = (text: string): void => {
    if (!closed) host.print(masked(text));
  };
  return {
    broken,
    closed: () => closed,
    over: () => closed || ending.code() !== undefined,
    write,
    json: (value: unknown) => write(JSON.stringify(value)),
    tell: (text: string) => host.tell(masked(text)),
  };
};

/** What a run came to so far; `owed`: a turn was broken off, and its result is still to be told. */
interface Came {
  readonly last?: RunEnd;
  readonly owed: boolean;
}

interface Talk {
  readonly run: Run;
  readonly outlet: ReturnType<typeof outletOf>;
  readonly lines: ReturnType<typeof createLines>;
  readonly clock: ReturnType<typeof workClock>;
}

const endNow = ({ run: { house, root }, clock }: Talk): RunEnd =>
  endOf(house.models, root, clock.ms(), house.structured);

const answerAll = async (talk: Talk, messages: ReturnType<typeof readMessages>): Promise<Came> => {
  const { run, outlet, lines, clock } = talk;
  const { flags, house, root, argument } = run;
  const { session, conversation } = root;
  const streamed = flags.inputFormat === 'stream-json';
  let last: RunEnd | undefined;
  for await (const message of waitedFor(messages, clock)) {
    if (outlet.over()) break;
    if ('problem' in message) {
      outlet.tell(message.problem);
      continue;
    }
    const said = await headlessLine(house, root, message.text, streamed ? message.text : (argument ?? ''));
    if ('prompt' in said) {
      await conversation.send(said.prompt, message.images, said.typed);
      await Promise.race([conversation.idle().then(() => settleBackground(house, root)), outlet.broken]);
    }
    if (outlet.over()) return { last, owed: true };
    last = endNow(talk);
    if ('answer' in said)
      last = { ...last, text: said.answer, ...(said.failed ? { stop: 'failed', error: said.answer } : {}) };
    if (streamed && flags.outputFormat === 'stream-json')
      outlet.json(resultOf(session.id, randomUUID(), last, lines.tally()));
  }
  return { last, owed: false };
};

const NOTHING_WAITS =
  'Nothing waits in this conversation: give a prompt, as an argument or on standard input.';

/** How it ended, with the conversation closed. */
const endOfAll = (talk: Talk, { last, owed }: Came): RunEnd => {
  const { flags, prompt, root, ending } = talk.run;
  const idle = !last && flags.inputFormat === 'text' && prompt === '' && !root.conversation.lastEnd();
  const came = !last || owed ? endNow(talk) : last;
  const end: RunEnd = idle && !owed ? { ...came, stop: 'failed', error: NOTHING_WAITS } : came;
  return ending.code() !== undefined && end.stop === 'end_turn' ? { ...end, stop: 'interrupted' } : end;
};

/** Answers the exit code. */
const tellResult = ({ run, outlet, lines }: Talk, last: RunEnd, owed: boolean): number => {
  const { flags, house, root, ending } = run;
  const end = { ...last, problem: last.problem ?? root.conversation.unsaved() };
  const result = resultOf(root.session.id, randomUUID(), end, lines.tally());
  const streaming = flags.outputFormat === 'stream-json';
  if (flags.outputFormat === 'json' || (streaming && (owed || flags.inputFormat === 'text')))
    outlet.json(result);
  if (flags.outputFormat === 'text' && (end.text || !result.is_error))
    outlet.write(
      house.structured && end.structured !== undefined ? JSON.stringify(end.structured) : end.text,
    );
  // What could not be saved was told when it happened.
  const told = end.problem !== undefined && last.problem === undefined && end.error === undefined;
  if (result.is_error && !outlet.over() && !told)
    outlet.tell(last.problem ?? end.error ?? `The run ended: ${end.stop}.`);
  return ending.code() ?? (result.is_error || outlet.closed() ? 1 : 0);
};

export const headlessRounds = async (run: Run): Promise<number> => {
  const { host, flags, house, root, prompt } = run;
  const { session, conversation } = root;
  const outlet = outletOf(run);
  const streaming = flags.outputFormat === 'stream-json';
  const line = (value: unknown): void => {
    if (streaming) outlet.json(value);
  };
  const lines = createLines(
    {
      session: session.id,
      newId: randomUUID,
      partials: flags.includePartialMessages === true,
      hooks: flags.includeHookEvents === true,
      replay: flags.replayUserMessages === true,
    },
    line,
  );
  const slashNames = streaming ? await slashNamesOf(house) : [];
  if (streaming) line(initLine(house, root, slashNames));
  const clock = workClock(run.started, () => performance.now());
  const waits = longWaits(outlet.tell);
  session.listen((event) => {
    lines.see(event);
    clock.see(event);
    if (event.type === 'entry' && event.entry.type === 'refused')
      outlet.tell(`A hook refused this prompt: ${event.entry.reason}`);
    if (event.type === 'notice' && (event.level !== 'info' || flags.verbose)) outlet.tell(event.text);
    if (event.type === 'retry' && flags.outputFormat !== 'stream-json') waits.tell(event);
  });
  // Without a prompt a conversation goes on with what waits in its mailbox.
  if (prompt === '' && flags.inputFormat === 'text') await Promise.race([conversation.idle(), outlet.broken]);
  const desk = controlDesk(house, { root, flags, slashNames }, line);
  const talk: Talk = { run, outlet, lines, clock };
  const came = await answerAll(
    talk,
    flags.inputFormat === 'stream-json' ? readMessages(host, desk) : one(prompt),
  );
  await root.close('other');
  const last = endOfAll(talk, came);
  await house.close();
  return tellResult(talk, last, came.owed);
};

async function* one(text: string): AsyncGenerator<StreamMessage> {
  if (text !== '') yield { text, images: [] };
}

/** Background agents and waking hooks may still have something to say (ruling 23; conventions 10). */
const settleBackground = async (house: House, root: Root): Promise<void> => {
  for (;;) {
    const before = root.conversation.state().last;
    await Promise.race([
      root.backgroundAgents(),
      new Promise((resolve) => setTimeout(resolve, waitCeiling(house.world)).unref()),
    ]);
    await house.hookHouse.hooks.waking(root.session.id);
    await root.conversation.idle();
    if (root.conversation.state().last === before) return;
  }
};
