import { readFileSync } from 'node:fs';

/**
 * When a process began, in clock ticks since boot, from `/proc`; undefined when there is no such process.
 * Where `/proc` is missing, '' for every living process: the pid alone must do.
 */
export const processStart = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold blanks and parentheses: fields count from the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? '');
  } catch {
    return running(pid) && !hasProc() ? '' : undefined;
  }
};

const hasProc = (): boolean => {
  try {
    return readFileSync('/proc/self/stat').length > 0;
  } catch {
    return false;
  }
};

const running = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Changes at every start of the machine; '' where the system does not tell. */
export const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
};
