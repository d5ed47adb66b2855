/** Who is there: seats of running and finished agents, by id and by name. A finished agent frees its place but keeps its name. */
import type { AgentInfo } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Conversation } from '../loop/session.ts';

export interface Seat {
  readonly id: SessionId;
  readonly name?: string;
  readonly type: string;
  readonly label: string;
  readonly output: string;
  readonly parent: SessionId;
  /** Counts continuations: one completion notice per run. */
  readonly run: number;
  background: boolean;
  status: AgentInfo['status'];
  stopping: boolean;
  stopFired: boolean;
  toolCalls: number;
  conversation?: Conversation;
  /** Resolves when this run has ended and everybody was told. */
  settled?: Promise<void>;
}

export interface Roster {
  reserve(
    who: Omit<Seat, 'run' | 'status' | 'stopping' | 'stopFired' | 'toolCalls' | 'conversation' | 'settled'>,
  ): Seat;
  seat(seat: Seat, conversation: Conversation): void;
  rise(seat: Seat, status: 'done' | 'failed' | 'stopped'): void;
  toBackground(seat: Seat, tell: () => Promise<void>): Promise<void>;
  find(idOrName: string): Seat | undefined;
  byName(name: string): Seat | undefined;
  byId(id: SessionId): Seat | undefined;
  isRunning(seat: Seat): boolean;
  running(): number;
  settled(): readonly Promise<void>[];
  known(): string;
  list(): readonly AgentInfo[];
}

export const createRoster = (): Roster => {
  const seats = new Map<SessionId, Seat>();
  const isRunning = (seat: Seat): boolean => seat.status === 'running' || seat.status === 'waiting';
  const byName = (name: string) => [...seats.values()].filter((seat) => seat.name === name).at(-1);
  return {
    isRunning,
    byName,
    byId: (id) => seats.get(id),
    reserve(who) {
      const before = seats.get(who.id);
      const seat: Seat = {
        ...who,
        run: (before?.run ?? 0) + 1,
        status: 'running',
        stopping: false,
        stopFired: false,
        toolCalls: before?.toolCalls ?? 0,
      };
      seats.delete(who.id);
      seats.set(who.id, seat);
      return seat;
    },
    seat(seat, conversation) {
      seat.conversation = conversation;
    },
    rise(seat, status) {
      seat.status = status;
      seat.conversation = undefined;
    },
    async toBackground(seat, tell) {
      if (seat.background) return;
      seat.background = true;
      await tell();
    },
    find: (idOrName) => seats.get(idOrName as SessionId) ?? byName(idOrName),
    running: () => [...seats.values()].filter(isRunning).length,
    settled: () => [...seats.values()].flatMap((seat) => seat.settled ?? []),
    known: () =>
      [...seats.values()].map((seat) => (seat.name ? `${seat.name} (${seat.id})` : seat.id)).join(', ') ||
      'none',
    list: () =>
      [...seats.values()].map(({ id, name, type, label, status, background, output }) => ({
        id,
        name,
        type,
        label,
        status,
        background,
        output,
      })),
  };
};
