/** What the `coppice hooks` commands do. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import type { SessionId } from '../contract/ids.ts';
import type { HookRunRecord } from '../contract/transcript.ts';
import { type HookRow, hookRows } from '../hooks/listing.ts';
import {
  type Replayed,
  readTrial,
  recordedRuns,
  replayRuns,
  runTrial,
  type TrialPlace,
  type TrialReport,
} from '../hooks/trial.ts';
import { errorText } from '../lib/error-text.ts';
import { safeText } from '../lib/safe-text.ts';
import { type Flags, UsageError } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { NotFound } from './not-found.ts';
import { openRoot, type Root } from './root.ts';
import { modelOf } from './start.ts';
import { openWorld } from './world.ts';
import { worldModels } from './world-models.ts';

type Wish = Flags & {
  readonly json?: boolean;
  readonly input?: string;
  readonly event?: string;
  readonly run?: boolean;
  readonly yes?: boolean;
};

const openHouse = async (host: Host, flags: Flags): Promise<House> => {
  const say = (text: string) => host.tell(`${text}\n`);
  const world = await openWorld({ host, flags, trouble: say });
  if (world.trust.notice) say(world.trust.notice);
  const house = await createHouse({ world, models: await worldModels(world) });
  for (const problem of world.loaded().problems) say(problem.text);
  return house;
};

const problemsToStderr = (host: Host, house: House): void => {
  for (const one of house.hookHouse.problems()) host.tell(`${one.path}: ${one.place}: ${one.text}\n`);
};

const print = (host: Host, value: unknown): void => host.print(`${JSON.stringify(value, null, 2)}\n`);
const lines = (host: Host, text: readonly string[]): void =>
  host.print(`${text.map((one) => safeText(one)).join('\n')}\n`);

const named = (type: string, label: string): string =>
  label.startsWith(`${type}:`) ? label : `${type}: ${label}`;

const rowText = (row: HookRow): string => {
  const when = [row.event, row.matcher ? `[${row.matcher}]` : '', row.if ? `if ${row.if}` : '']
    .filter((one) => one !== '')
    .join(' ');
  const state = row.active ? '' : ' (off)';
  return `${when}  ${named(row.type ?? '-', row.label)}  ${row.source} ${row.path}${state}${row.problem ? `\n    ! ${row.problem}` : ''}`;
};

/** Every hook in configured order with its source and what is wrong with it. */
export const listHooks = async (host: Host, flags: Wish): Promise<number> => {
  const house = await openHouse(host, flags);
  const rows = hookRows(house.hookHouse.sources(), house.hookHouse.problems());
  if (flags.json) print(host, rows);
  else lines(host, rows.length > 0 ? rows.map(rowText) : ['No hooks are configured.']);
  await house.close();
  return 0;
};

const documentOf = async (host: Host, input: string | undefined): Promise<string | undefined> => {
  if (input === undefined) return undefined;
  if (input !== '-')
    return readFile(input, 'utf8').catch((error: unknown) => {
      throw new UsageError(`${input} cannot be read: ${errorText(error)}`);
    });
  const chunks: Buffer[] = [];
  for await (const chunk of host.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
};

const placeIn = (host: Host, house: House): TrialPlace => {
  const { world } = house;
  const stop = new AbortController();
  host.onSignal('SIGINT', () => stop.abort());
  host.onSignal('SIGTERM', () => stop.abort());
  return {
    cwd: world.cwd,
    project: world.project,
    transcriptPath: world.stores.transcripts.locate(randomUUID() as SessionId, world.project),
    newId: randomUUID,
    emit: () => undefined,
    signal: stop.signal,
  };
};

const reportText = (report: TrialReport): readonly string[] => {
  const { verdict } = report;
  const runs = report.runs.flatMap((run) => [
    `${named(run.type, run.label)}  (${run.source} ${run.path})`,
    `    ${run.outcome}${run.exitCode === null ? '' : `, exit ${run.exitCode}`}, ${run.durationMs} ms${run.background ? ', in the background' : ''}`,
    ...(run.stdout.trim() ? [`    stdout: ${run.stdout.trim()}`] : []),
    ...(run.stderr.trim() ? [`    stderr: ${run.stderr.trim()}`] : []),
  ]);
  return [
    `${report.event}: ${report.matched} ${report.matched === 1 ? 'hook' : 'hooks'} matched`,
    ...runs,
    `verdict: ${verdict.decision ?? 'no decision'}${verdict.reason ? `: ${verdict.reason}` : ''}`,
    ...(verdict.updatedInput ? [`input changed: ${JSON.stringify(verdict.updatedInput)}`] : []),
    ...verdict.context.map((text) => `context: ${text}`),
    ...(verdict.continue ? [] : [`stops: ${verdict.stopReason}`]),
    ...report.notices.map((text) => `notice: ${text}`),
  ];
};

/** Verifiers are children of a conversation: where hooks of type agent are configured, a silent one is opened. */
const groundFor = async (house: House, event: string, flags: Flags): Promise<Root | undefined> => {
  const verifies = house.hookHouse
    .sources()
    .some(
      ({ active, groups }) =>
        active &&
        groups.some((group) => group.event === event && group.hooks.some(({ type }) => type === 'agent')),
    );
  if (!verifies) return undefined;
  const opened = await openRoot(house, {
    source: 'startup',
    mode: 'default',
    model: modelOf(house.world, house.models, flags),
    headless: true,
    limits: {},
    silent: true,
    standIn: () => ({
      kind: 'none',
      source: 'headless',
      reason: 'Nobody is there: hooks are being tried out.',
    }),
  });
  return 'refused' in opened ? undefined : opened;
};

/** Exit 0 whatever the verdict; an unknown event or unreadable input is wrong use (exit 2). */
export const runHooks = async (host: Host, flags: Wish, name: string): Promise<number> => {
  const asked = readTrial(name, await documentOf(host, flags.input));
  if ('usage' in asked) throw new UsageError(asked.usage);
  const house = await openHouse(host, { ...flags, sessionPersistence: false });
  problemsToStderr(host, house);
  const ground = await groundFor(house, asked.event, flags);
  const report = await runTrial(house.hookHouse.hooks, asked.event, asked.given, placeIn(host, house));
  if (flags.json) print(host, report);
  else lines(host, reportText(report));
  await ground?.close('other');
  await house.close();
  return 0;
};

const recordsOf = async (house: House, session: string, event: string | undefined) => {
  const { transcripts } = house.world.stores;
  const found = session.endsWith('.jsonl')
    ? { path: session }
    : ((await transcripts.find(session, house.world.project)) ?? (await transcripts.find(session)));
  if (!found) throw new NotFound(`No conversation is called "${session}".`);
  return recordedRuns((await transcripts.load(found.path)).entries, event);
};

const recordText = (run: HookRunRecord): readonly string[] => [
  `${run.event}  ${named(run.type, run.label)}  (${run.source})`,
  `    ${run.outcome}${run.exitCode === null ? '' : `, exit ${run.exitCode}`}, ${run.durationMs} ms${run.effect ? `; ${run.effect}` : ''}`,
  `    input: ${JSON.stringify(run.input)}`,
  ...(run.stdout.trim() ? [`    stdout: ${run.stdout.trim()}`] : []),
  ...(run.stderr.trim() ? [`    stderr: ${run.stderr.trim()}`] : []),
];

const replayText = ({ record, differences }: Replayed): readonly string[] => [
  `${record.event}  ${named(record.type, record.label)}`,
  ...(differences.length > 0 ? differences.map((one) => `    ${one}`) : ['    the same as then']),
];

const agreed = async (host: Host, count: number): Promise<boolean> => {
  if (!host.stdin.isTTY) return false;
  const terminal = createInterface({ input: host.stdin, output: host.stderr });
  const reply = await terminal.question(`Run ${count} hooks again with their recorded input? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(reply.trim());
};

/** Shows recorded runs; with `run` they run again after a question, and what differs is told. */
export const replaySession = async (host: Host, flags: Wish, session: string): Promise<number> => {
  const house = await openHouse(host, flags);
  const records = await recordsOf(house, session, flags.event);
  if (!flags.run) {
    if (flags.json) print(host, records);
    else lines(host, records.length > 0 ? records.flatMap(recordText) : ['No hook runs are recorded.']);
    await house.close();
    return 0;
  }
  if (!flags.yes && !(await agreed(host, records.length))) {
    host.tell('Nothing was run. Say yes to the question, or give --yes.\n');
    await house.close();
    return 1;
  }
  const replayed = await replayRuns(house.hookHouse.hooks, records, placeIn(host, house));
  if (flags.json) print(host, replayed);
  else lines(host, replayed.flatMap(replayText));
  await house.close();
  return 0;
};
