/** `coppice -p`: one run without a person; what happened is told in the output and the exit code (conventions 10). */
import { randomUUID } from 'node:crypto';
import type { Answer, Question } from '../contract/ask.ts';
import type { StreamMessage } from '../front/headless/input.ts';
import { createLines } from '../front/headless/lines.ts';
import { type RunEnd, resultOf } from '../front/headless/result.ts';
import { trialScope } from '../hooks/trial.ts';
import { mask } from '../lib/mask.ts';
import { waitCeiling } from './agent-limits.ts';
import { asksDriver, controlDesk } from './control-desk.ts';
import { type EndSignals, endSignals } from './end-signals.ts';
import type { Flags } from './flags.ts';
import { UsageError } from './flags.ts';
import { headlessLine, slashNamesOf } from './headless-slash.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { keyProgram } from './key-program.ts';
import { createLifecycle, setUp } from './lifecycle.ts';
import { modeRefusal } from './mode-choice.ts';
import { createModels, hasModel } from './models.ts';
import { openRoot, type Root } from './root.ts';
import { endOf, initLine } from './run-end.ts';
import { pipedInput } from './standard-input.ts';
import { choosePast, firstWords, wishOf } from './start.ts';
import { failedServers, startProblems } from './start-problems.ts';
import { readKey } from './stored-key.ts';
import { readMessages } from './stream-input.ts';
import { type Structured, structuredOutput } from './structured-output.ts';
import { VERSION } from './version.ts';
import { waitedFor, workClock } from './work-clock.ts';
import { openWorld } from './world.ts';

/** Nobody is there: permission, plan and other questions get a no with its reason. */
const nobody = (question: Question): Answer => ({
  kind: 'none',
  source: 'headless',
  reason:
    question.kind === 'plan'
      ? 'The plan stands as proposed: nobody is there to approve it, so the run ends here.'
      : question.kind === 'choice'
        ? 'Nobody is there to answer questions.'
        : 'Nobody is there to allow this: it needs an allow rule, or a run with a person.',
});

const noModel = (host: Host): string =>
  `No model to talk to: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), point ANTHROPIC_BASE_URL at a server that speaks the Messages API, run \`coppice\` in a terminal and type /login, or use --practice for the offline practice model.${host.env.OPENAI_API_KEY ? ' OPENAI_API_KEY is not used.' : ''}`;

export const printRun = async (host: Host, flags: Flags, argument: string | undefined): Promise<number> => {
  const started = performance.now();
  const say = (text: string) => host.tell(`${text}\n`);
  const structured = flags.jsonSchema === undefined ? undefined : await structuredOutput(flags.jsonSchema);
  const ending = endSignals(host);
  ending.listen(() => host.stdin.destroy());
  const piped =
    flags.inputFormat === 'text'
      ? await pipedInput(host, argument !== undefined || flags.initOnly === true)
      : {};
  if (piped.notice) say(piped.notice);
  const early = ending.code();
  if (early !== undefined) return early;
  const prompt = [argument, piped.text]
    .filter((text) => text !== undefined && text.trim() !== '')
    .join('\n\n');
  if (
    prompt === '' &&
    flags.inputFormat === 'text' &&
    !flags.initOnly &&
    flags.agent === undefined &&
    !flags.continue &&
    flags.resume === undefined
  )
    throw new UsageError('-p needs a prompt: as an argument or on standard input.');
  const world = await openWorld({ host, flags, trouble: say });
  if (world.trust.notice) say(world.trust.notice);
  if (world.stores.warning) say(world.stores.warning);
  for (const problem of world.loaded().problems) say(problem.text);
  const stricterMode = modeRefusal(world.loaded());
  if (stricterMode) say(stricterMode);
  const storedKey = await readKey(world.homes);
  if (!flags.practice && !flags.initOnly && !hasModel(world.env(), world.loaded(), storedKey)) {
    say(noModel(host));
    return 1;
  }
  const models = await createModels({
    flags,
    env: world.env(),
    loaded: world.loaded(),
    storedKey,
    version: VERSION,
    helper: keyProgram(world),
    practice: flags.practice === true,
  });
  const house = await createHouse({
    world,
    models,
    ...(structured ? { structured } : {}),
  });
  if (house.voice.problem) say(house.voice.problem);
  if (house.commands.trouble) say(house.commands.trouble);
  if (flags.initOnly) {
    const scope = trialScope(
      {},
      {
        cwd: world.cwd,
        project: world.project,
        transcriptPath: '',
        newId: randomUUID,
        emit: (body) => body.type === 'notice' && say(body.text),
        signal: new AbortController().signal,
      },
    );
    const { ok, context } = await setUp(
      house.hookHouse.hooks,
      flags.maintenance ? 'maintenance' : 'init',
      scope,
    );
    for (const text of context) host.print(`${text}\n`);
    await house.close();
    return ok ? 0 : 1;
  }
  const from = await choosePast(world, flags);
  const { hooks } = house.hookHouse;
  const lifecycle =
    hooks.listens('ConfigChange') || hooks.listens('FileChanged')
      ? createLifecycle(house, {
          mayUse: async () => (await world.accepted.changed()) === undefined,
          tell: say,
        })
      : undefined;
  const root = await openRoot(house, {
    ...from,
    ...(await wishOf(house, flags, true)),
    follow: lifecycle?.follow,
    standIn: (question) => (asksDriver(flags, question) ? undefined : nobody(question)),
  });
  if ('refused' in root) {
    say(root.refused);
    return 1;
  }
  for (const text of [...startProblems(house, root.session.state()), ...failedServers(house)]) say(text);
  for (const note of root.notes) say(note);
  lifecycle?.attend(root);
  host.onFault(() => root.close('other'));
  return run({
    host,
    flags,
    house,
    root,
    argument,
    prompt: firstWords(root, from.source, prompt),
    started,
    structured,
    ending,
  })
    .catch(async (error: unknown) => {
      await root.close('other');
      throw error;
    })
    .finally(() => lifecycle?.close());
};

interface Run {
  readonly host: Host;
  readonly flags: Flags;
  readonly house: House;
  readonly root: Root;
  /** What of the prompt was typed: `@file` means a file there, and not in what was piped in. */
  readonly argument: string | undefined;
  readonly prompt: string;
  readonly started: number;
  readonly structured: Structured | undefined;
  readonly ending: EndSignals;
}

const run = async (wish: Run): Promise<number> => {
  const { host, flags, house, root, argument, prompt, started, structured, ending } = wish;
  const { session, conversation } = root;
  // Whoever read our warnings has gone: the work goes on.
  host.stderr.on('error', () => undefined);
  let closedPipe = false;
  // A signal, or a reader that left: the turn is broken off by closing the conversation.
  const { promise: broken, resolve: stop } = Promise.withResolvers<void>();
  ending.listen(() => {
    stop();
    host.stdin.destroy();
  });
  host.stdout.on('error', () => {
    closedPipe = true;
    stop();
    host.stdin.destroy();
  });
  const write = (text: string) => {
    if (!closedPipe) host.print(mask(text, house.models.secrets));
  };
  const streaming = flags.outputFormat === 'stream-json';
  const lines = createLines(
    {
      session: session.id,
      newId: randomUUID,
      partials: flags.includePartialMessages === true,
      hooks: flags.includeHookEvents === true,
      replay: flags.replayUserMessages === true,
    },
    (value) => {
      if (streaming) write(`${JSON.stringify(value)}\n`);
    },
  );
  const slashNames = streaming ? await slashNamesOf(house) : [];
  if (streaming) write(`${JSON.stringify(initLine(house, root, slashNames))}\n`);
  const clock = workClock(started, () => performance.now());
  session.listen((event) => {
    lines.see(event);
    clock.see(event);
    if (event.type === 'entry' && event.entry.type === 'refused')
      host.tell(`${mask(`A hook refused this prompt: ${event.entry.reason}`, house.models.secrets)}\n`);
    if (event.type === 'notice' && (event.level !== 'info' || flags.verbose))
      host.tell(`${mask(event.text, house.models.secrets)}\n`);
  });
  // Without a prompt a conversation goes on with what waits in its mailbox.
  if (prompt === '' && flags.inputFormat === 'text') await Promise.race([conversation.idle(), broken]);
  const desk = controlDesk(house, { root, flags, slashNames }, (line) => {
    if (streaming) write(`${JSON.stringify(line)}\n`);
  });
  const rounds = flags.inputFormat === 'stream-json' ? readMessages(host, desk) : one(prompt);
  let last: RunEnd | undefined;
  /** A turn was broken off: its result is still to be told. */
  let owed = false;
  for await (const message of waitedFor(rounds, clock)) {
    if (ending.code() !== undefined || closedPipe) break;
    if ('problem' in message) {
      host.tell(`${message.problem}\n`);
      continue;
    }
    const words = flags.inputFormat === 'text' ? (argument ?? '') : message.text;
    const said = await headlessLine(house, root, message.text, words);
    if ('prompt' in said) {
      await conversation.send(said.prompt, message.images, said.typed);
      await Promise.race([conversation.idle().then(() => settleBackground(house, root)), broken]);
    }
    if (ending.code() !== undefined || closedPipe) {
      owed = true;
      break;
    }
    last = endOf(house.models, root, clock.ms(), structured);
    if ('answer' in said)
      last = { ...last, text: said.answer, ...(said.failed ? { stop: 'failed', error: said.answer } : {}) };
    if (streaming && flags.inputFormat === 'stream-json')
      write(`${JSON.stringify(resultOf(session.id, randomUUID(), last, lines.tally()))}\n`);
  }
  await root.close('other');
  if (!last && flags.inputFormat === 'text' && conversation.lastEnd() === undefined && prompt === '')
    last = {
      ...endOf(house.models, root, clock.ms(), structured),
      stop: 'failed',
      error: 'Nothing waits in this conversation: give a prompt, as an argument or on standard input.',
    };
  if (owed || !last) last = endOf(house.models, root, clock.ms(), structured);
  if (ending.code() !== undefined && last.stop === 'end_turn') last = { ...last, stop: 'interrupted' };
  await house.close();
  const end = { ...last, problem: last.problem ?? conversation.unsaved() };
  const result = resultOf(session.id, randomUUID(), end, lines.tally());
  if (flags.outputFormat === 'json' || (streaming && (owed || flags.inputFormat === 'text')))
    write(`${JSON.stringify(result)}\n`);
  if (flags.outputFormat === 'text' && (end.text || !result.is_error))
    write(`${structured && end.structured !== undefined ? JSON.stringify(end.structured) : end.text}\n`);
  // What could not be saved was told when it happened.
  const told = end.problem !== undefined && last.problem === undefined && end.error === undefined;
  if (result.is_error && ending.code() === undefined && !closedPipe && !told)
    host.tell(`${mask(last.problem ?? end.error ?? `The run ended: ${end.stop}.`, house.models.secrets)}\n`);
  return ending.code() ?? (result.is_error || closedPipe ? 1 : 0);
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
