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
  /** Names this run: there is one completion notice for each. */
  readonly run: string;
  /** A verifier of a hook: it takes no place from others. */
  readonly extra?: boolean;
  /** In which order agents came; continuing one changes nothing. */
  readonly order: number;
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

type Who = Pick<Seat, 'id' | 'name' | 'team' | 'type' | 'label' | 'output' | 'parent' | 'background'>;
type Given = Who & Pick<Seat, 'run' | 'extra'> & { readonly toolCalls?: number };

/** A place that is kept while an agent is being prepared. */
export interface Claim {
  release(): void;
}

export interface Roster {
  /** Counts at once, so that calls of one reply do not overlook each other. */
  claim(name: string | undefined): Claim;
  reserve(who: Given): Seat;
  /** An agent of an earlier process of this conversation. */
  remember(who: Who, status: 'done' | 'failed' | 'stopped'): void;
  seat(seat: Seat, conversation: Conversation): void;
  rise(seat: Seat, status: 'done' | 'failed' | 'stopped'): void;
  /** A teammate without work, or at work again. */
  rest(seat: Seat, status: 'running' | 'waiting'): void;
  /** False when it has ended: its result is there. */
  toBackground(seat: Seat, tell: () => Promise<void>): Promise<boolean>;
  find(idOrName: string): Seat | undefined;
  byId(id: SessionId): Seat | undefined;
  isRunning(seat: Seat): boolean;
  /** Who runs, or is about to, under a name. */
  holder(name: string): string | undefined;
  /** Places that are taken. */
  running(): number;
  /** In the order in which they came. */
  seats(): readonly Seat[];
  /** The ends of everybody in this process. */
  settled(): readonly Promise<void>[];
  /** Resolves when nobody works: all have ended, or wait for work. */
  quiet(): Promise<void>;
  known(): string;
  list(): readonly AgentInfo[];
}

export const createRoster = (): Roster => {
  const places = new Map<SessionId, Seat>();
  const claims = new Set<{ readonly name?: string }>();
  const waiting: (() => void)[] = [];
  const changed = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const isRunning = (seat: Seat): boolean => seat.status === 'running' || seat.status === 'waiting';
  const seats = () => [...places.values()].toSorted((a, b) => a.order - b.order);
  const named = (name: string) =>
    seats().filter((seat) => seat.name !== undefined && sameName(seat.name, name));
  const take = (who: Who, more: Partial<Seat> & Pick<Seat, 'run' | 'status'>): Seat => {
    const before = places.get(who.id);
    const seat: Seat = {
      ...who,
      order: before?.order ?? places.size,
      halt: new AbortController(),
      stopping: false,
      leaving: false,
      silent: false,
      stopFired: false,
      toolCalls: before?.toolCalls ?? 0,
      lost: before?.lost ?? [],
      ...more,
    };
    places.set(who.id, seat);
    return seat;
  };
  return {
    isRunning,
    byId: (id) => places.get(id),
    claim(name) {
      const held = { name };
      claims.add(held);
      return { release: () => void claims.delete(held) };
    },
    reserve: ({ run, extra, toolCalls, ...who }) =>
      take(who, {
        run,
        status: 'running',
        ...(extra ? { extra } : {}),
        ...(toolCalls === undefined ? {} : { toolCalls }),
      }),
    remember: (who, status) => void take(who, { run: '', status }),
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
      if (!isRunning(seat)) return false;
      if (!seat.background) {
        seat.background = true;
        await tell();
      }
      return true;
    },
    find: (idOrName) => places.get(idOrName as SessionId) ?? named(idOrName).at(-1),
    holder(name) {
      const seat = named(name).find(isRunning);
      if (seat) return `${seat.id} (${seat.label})`;
      const coming = [...claims].some((claim) => claim.name !== undefined && sameName(claim.name, name));
      return coming ? 'that is being started now' : undefined;
    },
    running: () => claims.size + seats().filter((seat) => isRunning(seat) && !seat.extra).length,
    seats,
    settled: () => seats().flatMap((seat) => (seat.endProcess ? [] : (seat.settled ?? []))),
    async quiet() {
      for (;;) {
        const all = seats();
        await Promise.all(
          all.filter((seat) => seat.status !== 'waiting' && !seat.team).map((seat) => seat.settled),
        );
        await Promise.all(all.filter((seat) => !isRunning(seat)).map((seat) => seat.settled));
        if (!seats().some((seat) => seat.status === 'running')) return;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    known: () =>
      seats()
        .map((seat) => (seat.name ? `${seat.name} (${seat.id})` : seat.id))
        .join(', ') || 'none',
    list: () =>
      seats().map(({ id, name, type, label, status, background, output, parent }) => ({
        id,
        name,
        type,
        label,
        status,
        background,
        output,
        parent,
      })),
  };
};
