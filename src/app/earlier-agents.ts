/** Agents of earlier processes of a conversation: who they were, how they go on, and what their parent was not told. */
import { readFile } from 'node:fs/promises';
import { endInTranscript, stoppedText } from '../agents/ending.ts';
import type { Notice, Revived } from '../agents/host-deps.ts';
import type { Roster } from '../agents/roster.ts';
import type { CallId, SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mail, StoreFailed } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { usesOf } from '../loop/conversation.ts';
import { fold } from '../loop/fold.ts';
import type { Conversation } from '../loop/session.ts';
import { noticeText } from './notice-text.ts';
import type { World } from './world.ts';

type Background = Extract<Entry, { type: 'background' }>;

export interface EarlierAgents {
  /** Takes them into the roster: they answer to their names, and their results can be read. */
  remember(root: SessionState): Promise<void>;
  revive(id: SessionId, parent: SessionState): Promise<Revived | undefined>;
  /** What the agent of a call that was cut off came to; undefined where the call had none. */
  ofCall(call: CallId, root: SessionId): Promise<string | undefined>;
  /** Tells a conversation, once each, of what ended while nobody looked. */
  recover(conversation: Conversation, entries: readonly Entry[]): Promise<void>;
}

export interface EarlierAgentsDeps {
  readonly stores: World['stores'];
  readonly project: string;
  roster(): Roster;
  output(id: SessionId, parent: SessionState): Promise<string>;
  writeOutput(path: string, text: string): Promise<StoreFailed | undefined>;
  notify(parent: SessionId, notice: Notice): Promise<void>;
}

/** One notice for each run of an agent. */
export const noticeId = ({ id, run }: Pick<Notice, 'id' | 'run'>): string => `agent:${id}:${run}`;

const told = { done: 'completed', failed: 'failed', stopped: 'stopped' } as const;

export const earlierAgents = (deps: EarlierAgentsDeps): EarlierAgents => {
  const { project } = deps;
  const { transcripts, mailbox, teams } = deps.stores;

  const entriesOf = async (id: SessionId, root: SessionId): Promise<readonly Entry[]> =>
    (
      await transcripts
        .load(transcripts.locate(id, project, { root, name: id }))
        .catch(() => ({ entries: [] as readonly Entry[] }))
    ).entries;

  /** How an agent's last run ended; what it came to lies in its output file, written now where the kill was faster. */
  const endOf = async (one: Background, root: SessionId) => {
    const entries = await entriesOf(one.id as SessionId, root);
    const { status, text } = endInTranscript(entries);
    const whole = entries.some((entry) => entry.type === 'ended' && entry.run === one.run);
    const kept = whole ? await readFile(one.output, 'utf8').catch(() => undefined) : undefined;
    if (kept !== undefined) return { status, text: kept };
    const seat = { id: one.id as SessionId, name: one.name };
    const words =
      status === 'stopped'
        ? [text, `The program ended while it ran. ${stoppedText(seat)}`]
        : [text || '(the agent gave no answer)'];
    const said = words.filter((part) => part !== '').join('\n\n');
    const unkept = await deps.writeOutput(one.output, said);
    return { status, text: unkept ? `${said}\n\n${unkept.failed}` : said };
  };

  const tellOfAgent = async (one: Background, to: Conversation, mail: readonly Mail[]): Promise<void> => {
    const { type: _t, uuid: _u, parentUuid: _p, timestamp: _at, ...fact } = one;
    const id = one.id as SessionId;
    const run = one.run ?? '';
    const sent = mail.find((letter) => letter.id === noticeId({ id, run }))?.origin;
    const already = sent?.kind === 'agent' ? sent.ended : undefined;
    const end = already === undefined ? await endOf(one, to.state().root) : undefined;
    const status = already ?? told[end?.status ?? 'stopped'];
    if (end)
      await deps.notify(to.id, {
        id,
        run,
        label: one.label,
        status: told[end.status],
        output: one.output,
        text: end.text,
      });
    await to.record({ type: 'background', ...fact, status });
  };

  const tellOfCommand = async (one: Background, to: Conversation, mail: readonly Mail[]): Promise<void> => {
    const { type: _t, uuid: _u, parentUuid: _p, timestamp: _at, ...fact } = one;
    if (mail.some(({ id }) => id === `command:${one.id}`))
      return await to.record({ type: 'background', ...fact, status: 'completed' });
    const id = `lost:${one.id}`;
    if (!mail.some((letter) => letter.id === id))
      await mailbox.send(to.id, {
        id,
        text: noticeText({
          id: one.id,
          label: one.label,
          status: 'stopped',
          output: one.output,
          text: 'The program ended while this command ran; the command was ended with it.',
        }),
        origin: { kind: 'agent', name: one.label, ended: 'stopped' },
      });
    await to.record({ type: 'background', ...fact, status: 'lost' });
  };

  return {
    async remember(root) {
      for (const { id, opened, ended } of await transcripts.children(root.id, project)) {
        if (opened.verifier) continue;
        deps.roster().remember(
          {
            id,
            name: opened.agent.name,
            type: opened.agent.type,
            label: opened.label ?? opened.agent.type,
            output: await deps.output(id, root),
            parent: opened.parent ?? root.id,
            background: false,
          },
          ended ?? 'stopped',
        );
      }
    },
    async revive(id, parent) {
      const entries = await entriesOf(id, parent.root);
      const opened = entries.find((entry) => entry.type === 'opened');
      const state = fold(id, entries);
      if (!state || opened?.type !== 'opened') return undefined;
      return {
        id,
        state,
        label: opened.label ?? opened.agent.type,
        depth: opened.depth ?? 1,
        toolCalls: entries.flatMap((entry) => (entry.type === 'assistant' ? usesOf(entry.message) : []))
          .length,
      };
    },
    async ofCall(call, root) {
      const child = (await transcripts.children(root, project)).find(({ opened }) => opened.call === call);
      if (!child) return undefined;
      const { id, opened } = child;
      const { status, text } = endInTranscript(await entriesOf(id, root));
      const name = opened.agent.name ?? id;
      return status === 'stopped'
        ? `Its agent was cut off. To let it go on where it stopped, send it a message: SendMessageTool, to "${name}".`
        : `Its agent ${name} had ended by then:\n\n${text}`;
    },
    async recover(conversation, entries) {
      const last = new Map<string, Background>();
      for (const entry of entries) if (entry.type === 'background') last.set(entry.id, entry);
      const open = [...last.values()].filter(({ status }) => status === 'running');
      if (open.length === 0) return;
      // Teammates are there again by themselves.
      const members = (await teams.ledBy(conversation.id))?.members ?? [];
      const mail = await mailbox.read(conversation.id, 0);
      for (const one of open) {
        if (members.some((member) => member.session === one.id)) continue;
        await (one.kind === 'agent' ? tellOfAgent : tellOfCommand)(one, conversation, mail);
      }
    },
  };
};
