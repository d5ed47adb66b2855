/** The team of one conversation, for its screen. */
import type { SessionEvent } from '../contract/event.ts';
import type { TeamPort } from '../contract/screen.ts';
import type { Session } from '../contract/session.ts';
import type { TaskStore } from '../contract/task.ts';
import type { TeamStore } from '../contract/team.ts';
import type { TeamLook } from '../contract/team-look.ts';
import type { Sight } from './sight.ts';

/** Many changes come together; the panel need not follow each. */
const PAUSE_MS = 300;

export interface TeamPortDeps {
  readonly session: Pick<Session, 'id' | 'state' | 'listen'>;
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  readonly look: Sight['look'];
}

export const teamPort = (deps: TeamPortDeps): TeamPort => ({
  follow(tell) {
    const { session } = deps;
    let current: { readonly key: string; readonly stop: () => void } | undefined;
    const begin = (): void => {
      const key = session.state().team;
      if (key === current?.key) return;
      current?.stop();
      current = key === undefined ? undefined : { key, stop: followOne(deps, key, tell) };
      if (key === undefined) tell(undefined);
    };
    const unlisten = session.listen((event) => {
      if (event.session === session.id && event.type === 'entry' && event.entry.type === 'team') begin();
    });
    begin();
    return () => {
      unlisten();
      current?.stop();
    };
  },
});

const followOne = (
  { session, teams, tasks, look }: TeamPortDeps,
  key: string,
  tell: (team: TeamLook | undefined) => void,
): (() => void) => {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let changed = false;
  let pause = PAUSE_MS;
  const soon = (): void => {
    changed = true;
    if (!looking && !over.signal.aborted) timer ??= setTimeout(() => void show(), pause);
  };
  const lookOnce = async (): Promise<TeamLook | undefined> => {
    const team = await teams.get(key);
    return 'members' in team ? await look(team) : undefined;
  };
  const show = async (): Promise<void> => {
    timer = undefined;
    looking = true;
    changed = false;
    const from = performance.now();
    // What cannot be read now is looked at with the next change.
    const seen = await lookOnce().catch(() => undefined);
    // Long transcripts and logs take their time: no more than a tenth of it all is spent on looking.
    pause = Math.max(PAUSE_MS, 9 * (performance.now() - from));
    looking = false;
    if (!over.signal.aborted && seen) tell(seen);
    if (changed) soon();
  };
  const unwatch = teams.watch(key, soon);
  const unlisten = session.listen((event) => matters(event, session) && soon());
  void (async () => {
    for await (const _ of tasks.changes(session.state().taskList, over.signal)) soon();
  })();
  soon();
  return () => {
    over.abort();
    clearTimeout(timer);
    unwatch();
    unlisten();
  };
};

/** What agents use, and when they come and go, no file of the team tells. */
const matters = (event: SessionEvent, { id }: Pick<Session, 'id'>): boolean =>
  event.type === 'agent.started' ||
  event.type === 'agent.finished' ||
  (event.session !== id && event.type === 'entry' && event.entry.type === 'assistant');
