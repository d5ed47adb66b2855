import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { GROUP_MARK } from './environment.ts';

/**
 * Reads `+GROUP` and `-GROUP` lines. When the pipe closes, because the program ended or was killed, it ends the
 * groups that are left and, where there is /proc, every process that carries the mark, whatever group it fled to.
 */
const GUARD = `
"\${@:3}"
groups=' '
while IFS= read -r line; do
  case $line in
    +*) groups+="\${line#+} " ;;
    -*) groups=\${groups/ \${line#-} / } ;;
  esac
done
marked() { [[ -r /proc/self/environ ]] && grep -lzsxF -- "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
end() {
  local pid alive=1
  for pid in $groups; do kill -"$1" -- "-$pid" && alive=0; done
  for pid in $(marked "$mark"); do kill -"$1" "$pid" && alive=0; done
  return "$alive"
} 2>/dev/null
mark=$1
if [[ $2 != 0 ]]; then end 0 || exit 0; sleep "$2"; fi
end TERM || exit 0
for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; end 0 || exit 0; done
end KILL; end KILL
`;

/** A command that is over sooner is not worth waking the guard for: it would find it by its mark. */
const TELL_AFTER_MS = 20;

/** Sees to it that no command outlives the program, even when that is killed. One small process, started on first use. */
export interface Guard {
  /**
   * Called before a command is started, so that there is no moment without the guard. A new one runs `first` before
   * anything else: one process is started instead of two.
   */
  stand(first?: () => readonly string[]): void;
  watch(group: number): void;
  forget(group: number): void;
  /** Lets the guard do its work and end by itself. */
  close(): void;
}

/** `graceMs`: how long what lost the program may take to end by itself, before it is told to. */
export const openGuard = (bash: string, path: string, mark: string, graceMs = 0): Guard => {
  const groups = new Set<number>();
  const told = new Set<number>();
  const gone: number[] = [];
  let guard: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;

  const tell = (lines: readonly string[]): void => {
    if (lines.length > 0 && guard?.stdin?.writable) guard.stdin.write(`${lines.join('\n')}\n`);
  };
  /** Commands that run side by side often end in one moment: the guard wakes once for all of them. */
  const tellGone = (): void => tell(gone.splice(0).map((group) => `-${group}`));
  const tellNew = (): void => {
    timer = undefined;
    // First, for a number may be given again.
    tellGone();
    const fresh = [...groups].filter((group) => !told.has(group));
    for (const group of fresh) told.add(group);
    tell(fresh.map((group) => `+${group}`));
  };
  const start = (first: readonly string[]): ChildProcess => {
    // Without descriptors to spare it has no pipes; the command then says so itself.
    const child: ChildProcess = spawn(
      bash,
      [
        '--norc',
        '--noprofile',
        '-c',
        GUARD,
        'guard',
        `${GROUP_MARK}=${mark}`,
        String(graceMs / 1000),
        ...first,
      ],
      {
        cwd: '/',
        env: { PATH: path },
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    const lost = (): void => {
      if (guard !== child) return;
      guard = undefined;
      told.clear();
    };
    child.on('error', lost);
    child.on('exit', lost);
    child.stdin?.on('error', lost);
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  };

  return {
    stand: (first) => {
      guard ??= start(first?.() ?? []);
    },
    watch: (group) => {
      groups.add(group);
      // What ended while we were busy is heard of first.
      timer ??= setTimeout(() => setImmediate(tellNew), TELL_AFTER_MS).unref();
    },
    forget: (group) => {
      groups.delete(group);
      if (told.delete(group) && gone.push(group) === 1) setImmediate(tellGone);
    },
    close: () => {
      clearTimeout(timer);
      tellNew();
      guard?.stdin?.end();
      guard = undefined;
    },
  };
};
