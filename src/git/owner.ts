/** Who works in a worktree: written as the reason of git's own lock, so that git itself keeps its hands off. */

/** The processes of this machine, as far as a lock needs them. */
export interface Processes {
  readonly pid: number;
  /** When a process began; undefined when there is none of that id. */
  startOf(pid: number): string | undefined;
  /** Changes at every start of the machine. */
  readonly boot: string;
  readonly host: string;
}

export interface Owner {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly host: string;
  readonly label: string;
}

const FORM = /^coppice: pid (\d+) start (\S*) boot (\S*) host (\S*) by (.*)$/s;

export const lockReason = (processes: Processes, label: string): string => {
  const { pid, boot, host } = processes;
  const start = processes.startOf(pid) ?? '';
  return `coppice: pid ${pid} start ${start || '-'} boot ${boot || '-'} host ${host || '-'} by ${label.replaceAll(/[\r\n\0]/g, ' ')}`;
};

/** Undefined when somebody else wrote it: a person's lock stands. */
const ownerOf = (reason: string): Owner | undefined => {
  const [, pid, start = '', boot = '', host = '', label = ''] = FORM.exec(reason) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), start, boot, host, label };
};

export type Holder =
  | { readonly kind: 'nobody' }
  /** Locked by a process that is gone. */
  | { readonly kind: 'dead' }
  | { readonly kind: 'us' }
  | { readonly kind: 'process'; readonly text: string }
  | { readonly kind: 'person'; readonly text: string };

export const holderOf = (locked: string | undefined, processes: Processes): Holder => {
  if (locked === undefined) return { kind: 'nobody' };
  const owner = ownerOf(locked);
  if (!owner) return { kind: 'person', text: `the lock of a person${locked === '' ? '' : ` (${locked})`}` };
  const text = `process ${owner.pid} (${owner.label})`;
  // Nobody can see the processes of another machine: its lock stands until a person lifts it.
  if (owner.host !== (processes.host || '-')) return { kind: 'process', text: `${text} on ${owner.host}` };
  if (owner.boot !== (processes.boot || '-')) return { kind: 'dead' };
  const start = processes.startOf(owner.pid);
  if (start === undefined || (start || '-') !== owner.start) return { kind: 'dead' };
  return owner.pid === processes.pid ? { kind: 'us' } : { kind: 'process', text };
};
