/** The flight recorder: what all members of a team did, in one order (ruling 55). */
import { textOf } from '../contract/message.ts';
import { inboxKey, LEAD, type Team, type TeamMember } from '../contract/team.ts';
import { deliveryOf } from '../contract/team-look.ts';
import type { Entry } from '../contract/transcript.ts';
import type { Board } from './board.ts';
import { transcriptOf } from './look-at-team.ts';

export interface LogLine {
  /** ISO 8601. */
  readonly time: string;
  readonly team: string;
  readonly agent: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

export const teamLog = async (board: Board, team: Team): Promise<readonly LogLine[]> => {
  const receipts = await board.teams.receipts(team.key);
  const own = (await board.teams.events(team.key)).map((event): LogLine => {
    const line = { ...event, team: team.name };
    if (event.type !== 'message') return line;
    const { place, ...mail } = line as LogLine & { readonly place?: number };
    return { ...mail, state: deliveryOf(Number(place), receipts[inboxKey(String(event.to))]) } as LogLine;
  });
  const spoken = await Promise.all(team.members.map((member) => fromTranscript(board, team, member)));
  const placed = inTurn(own);
  const sent = new Map(placed.flatMap(({ at, line }) => (line.type === 'message' ? [[line.id, at]] : [])));
  return [placed, ...spoken.map((lines) => inTurn(lines, ({ type, id }) => type === 'heard' && sent.get(id)))]
    .flat()
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ line }) => line);
};

interface Placed {
  readonly at: string;
  readonly line: LogLine;
}

/**
 * What one source wrote keeps its order, also where the clock was set back meanwhile; nothing stands before what it
 * comes `after`: nobody hears a letter before it is sent.
 */
const inTurn = (
  lines: readonly LogLine[],
  after: (line: LogLine) => string | false | undefined = () => undefined,
): readonly Placed[] => {
  let at = '';
  return lines.map((line) => {
    for (const time of [line.time, after(line) || '']) if (time > at) at = time;
    return { at, line };
  });
};

const fromTranscript = async (board: Board, team: Team, member: TeamMember): Promise<readonly LogLine[]> => {
  const path = transcriptOf(board.transcripts, team, member);
  const { entries } = await board.transcripts.load(path).catch(() => ({ entries: [] as readonly Entry[] }));
  // A clock may have been set since: what the lead did before it had the team is told by place, not by time.
  const begin = entries.findLastIndex((entry) => entry.type === 'team' && entry.team === team.key);
  return entries
    .slice(member.name === LEAD ? Math.max(begin, 0) : 0)
    .flatMap((entry) =>
      linesOf(entry).map((line) => ({ time: entry.timestamp, team: team.name, agent: member.name, ...line })),
    );
};

const linesOf = (
  entry: Entry,
): readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[] => {
  switch (entry.type) {
    case 'user': {
      const { origin } = entry;
      if (origin.kind === 'mail') return [{ type: 'heard', id: origin.id, from: origin.from }];
      if (origin.kind === 'person' || origin.kind === 'agent')
        return [{ type: 'prompt', text: entry.display ?? textOf(entry.content) }];
      return entry.content.flatMap((block) =>
        block.type === 'tool_result'
          ? [
              {
                type: 'result',
                call: block.tool_use_id,
                failed: block.is_error === true,
                text: clipped(typeof block.content === 'string' ? block.content : textOf(block.content)),
              },
            ]
          : [],
      );
    }
    case 'assistant': {
      const text = textOf(entry.message.content).trim();
      return [
        ...(text === '' ? [] : [{ type: 'said', text }]),
        ...entry.message.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'call', call: block.id, tool: block.name, input: block.input }]
            : [],
        ),
      ];
    }
    case 'mode':
      return [{ type: 'mode', mode: entry.mode }];
    case 'failed':
      return [{ type: 'failure', text: entry.failure.text }];
    case 'opened':
      return [{ type: 'opened', source: entry.source }];
    case 'closed':
      return [{ type: 'closed', reason: entry.reason }];
    default:
      return [];
  }
};

const MOST_CHARS = 2_000;

/** The transcript has all of it. */
const clipped = (text: string): string =>
  text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).toWellFormed()} …` : text;
