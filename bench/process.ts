import { readdirSync, readFileSync } from 'node:fs';

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

const fields = (pid: number): readonly string[] => {
  const text = read(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

const TICKS_A_SECOND = 100;

/** Processor seconds a process has used so far, ended children included that it waited for. */
export const processorSeconds = (pid: number): number =>
  fields(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;

/** Resident megabytes of a process and everything below it. */
export const megabytes = (pid: number): number => {
  const pages = Number(read(pid, 'statm').split(' ')[1] ?? 0);
  return children(pid).reduce((sum, child) => sum + megabytes(child), (pages * 4096) / 2 ** 20);
};

const children = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(fields(pid)[1]) === parent);
