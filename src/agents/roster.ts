/** Who is there: seats of running and finished agents, by id and by name. A finished agent frees its place but keeps its name. */
import type { AgentInfo } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import { sameName } from '../contract/team.ts';
import type { Conversation } from '../loop/session.ts';

export interface Seat {
  readonly id: SessionId;
  readonly name?: string;
  /** Key of the team it is a member of. */
  readonly team?: string;
  readonly type: string;
  readonly label: string;
  readonly output: string;
  readonly parent: SessionId;
  /** Counts continuations: one completion notice per run. */
  readonly run: number;
  /** Ends a teammate that would wait for more work. */
  readonly halt: AbortController;
  background: boolean;
  /** `waiting`: a teammate without work, or a question is open. */
  status: AgentInfo['status'];
  stopping: boolean;
  /** It agreed to its shutdown. */
  leaving: boolean;
  /** Nobody is told of its end: the program closes or the team is deleted. */
  silent: boolean;
  stopFired: boolean;
  toolCalls: number;
  /** Tasks that went back to the list when it was stopped. */
  lost: readonly string[];
  conversation?: Conversation;
  /** Ends it where it runs in a process of its own. */
  endProcess?(): void;
  /** Resolves when this run has ended and everybody was told. */
  settled?: Promise<void>;
}

type Given = 'id' | 'name' | 'team' | 'type' | 'label' | 'output' | 'parent' | 'background';

export interface Roster {
  reserve(who: Pick<Seat, Given>): Seat;
  seat(seat: Seat, conversation: Conversation): void;
  rise(seat: Seat, status: 'done' | 'failed' | 'stopped'): void;
  /** A teammate without work, or at work again. */
  rest(seat: Seat, status: 'running' | 'waiting'): void;
  toBackground(seat: Seat, tell: () => Promise<void>): Promise<void>;
  find(idOrName: string): Seat | undefined;
  byName(name: string): Seat | undefined;
  byId(id: SessionId): Seat | undefined;
  isRunning(seat: Seat): boolean;
  running(): number;
  /** The newest seat of each agent. */
  seats(): readonly Seat[];
  /** The ends of everybody in this process. */
  settled(): readonly Promise<void>[];
  /** Resolves when nobody works: all have ended, or wait for work. */
  quiet(): Promise<void>;
  known(): string;
  list(): readonly AgentInfo[];
}

export const createRoster = (): Roster => {
  const seats = new Map<SessionId, Seat>();
  const waiting: (() => void)[] = [];
  const changed = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const isRunning = (seat: Seat): boolean => seat.status === 'running' || seat.status === 'waiting';
  const byName = (name: string) =>
    [...seats.values()].filter((seat) => seat.name !== undefined && sameName(seat.name, name)).at(-1);
  return {
    isRunning,
    byName,
    byId: (id) => seats.get(id),
    reserve(who) {
      const before = seats.get(who.id);
      const seat: Seat = {
        ...who,
        run: (before?.run ?? 0) + 1,
        halt: new AbortController(),
        status: 'running',
        stopping: false,
        leaving: false,
        silent: false,
        stopFired: false,
        toolCalls: before?.toolCalls ?? 0,
        lost: before?.lost ?? [],
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
      changed();
    },
    rest(seat, status) {
      seat.status = status;
      changed();
    },
    async toBackground(seat, tell) {
      if (seat.background) return;
      seat.background = true;
      await tell();
    },
    find: (idOrName) => seats.get(idOrName as SessionId) ?? byName(idOrName),
    running: () => [...seats.values()].filter(isRunning).length,
    seats: () => [...seats.values()],
    settled: () => [...seats.values()].flatMap((seat) => (seat.endProcess ? [] : (seat.settled ?? []))),
    async quiet() {
      for (;;) {
        const all = [...seats.values()];
        await Promise.all(
          all.filter((seat) => seat.status !== 'waiting' && !seat.team).map((seat) => seat.settled),
        );
        await Promise.all(all.filter((seat) => !isRunning(seat)).map((seat) => seat.settled));
        if (![...seats.values()].some((seat) => seat.status === 'running')) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
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
