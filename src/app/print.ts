/** `coppice -p`: one run without a person; what happened is told in the output and the exit code (conventions 10). */
import { randomUUID } from 'node:crypto';
import type { Answer, Question } from '../contract/ask.ts';
import { trialScope } from '../hooks/trial.ts';
import { asksDriver } from './control-desk.ts';
import { endSignals } from './end-signals.ts';
import { type Flags, UsageError } from './flags.ts';
import { headlessRounds } from './headless-rounds.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { keyProgram } from './key-program.ts';
import { createLifecycle, setUp } from './lifecycle.ts';
import { modeRefusal } from './mode-choice.ts';
import { createModels, hasModel } from './models.ts';
import { openRoot } from './root.ts';
import { pipedInput } from './standard-input.ts';
import { choosePast, firstWords, wishOf } from './start.ts';
import { failedServers, startProblems } from './start-problems.ts';
import { readKey } from './stored-key.ts';
import { structuredOutput } from './structured-output.ts';
import { VERSION } from './version.ts';
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

/** `--init-only`: the exit code says whether its hooks agreed. */
const setUpAlone = async (host: Host, flags: Flags, house: House): Promise<number> => {
  const { world, hookHouse } = house;
  const scope = trialScope(
    {},
    {
      cwd: world.cwd,
      project: world.project,
      transcriptPath: '',
      newId: randomUUID,
      emit: (body) => body.type === 'notice' && host.tell(`${body.text}\n`),
      signal: new AbortController().signal,
    },
  );
  const { ok, context } = await setUp(hookHouse.hooks, flags.maintenance ? 'maintenance' : 'init', scope);
  for (const text of context) host.print(`${text}\n`);
  await house.close();
  return ok ? 0 : 1;
};

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
  if (flags.initOnly) return setUpAlone(host, flags, house);
  const { hooks } = house.hookHouse;
  const lifecycle =
    hooks.listens('ConfigChange') || hooks.listens('FileChanged')
      ? createLifecycle(house, {
          mayUse: async () => (await world.accepted.changed()) === undefined,
          tell: say,
        })
      : undefined;
  const opened = async () => {
    const from = await choosePast(world, flags);
    const root = await openRoot(house, {
      ...from,
      ...(await wishOf(house, flags, true)),
      follow: lifecycle?.follow,
      standIn: (question) => (asksDriver(flags, question) ? undefined : nobody(question)),
    });
    return { from, root };
  };
  const giveUp = async (): Promise<void> => {
    await lifecycle?.close();
    await house.close();
  };
  const { from, root } = await opened().catch(async (error: unknown) => {
    await giveUp();
    throw error;
  });
  if ('refused' in root) {
    say(root.refused);
    await giveUp();
    return 1;
  }
  for (const text of [...startProblems(house, root.session.state()), ...failedServers(house)]) say(text);
  for (const note of root.notes) say(note);
  lifecycle?.attend(root);
  host.onFault(() => root.close('other'));
  return headlessRounds({
    host,
    flags,
    house,
    root,
    argument,
    prompt: firstWords(root, from.source, prompt),
    started,
    ending,
  })
    .catch(async (error: unknown) => {
      await root.close('other');
      throw error;
    })
    .finally(() => lifecycle?.close());
};
