import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Where a traced program wanted to connect or send to over the network: `127.0.0.1:4711`, in order. */
export const connectionsIn = (trace: string): readonly string[] => {
  if (!existsSync(trace)) throw new Error(`${trace} was not written: the program was not traced.`);
  return readFileSync(trace, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const port = /sin6?_port=htons\((\d+)\)/.exec(line)?.[1];
      const host =
        /inet_addr\("([^"]+)"\)/.exec(line)?.[1] ?? /inet_pton\(AF_INET6, "([^"]+)"/.exec(line)?.[1];
      return port && host ? [`${host}:${port}`] : [];
    });
};

/** The command that writes every network call of a program and its children to a file. */
export const traced = (trace: string): readonly [string, ...string[]] => [
  'strace',
  '-f',
  '-qq',
  '-e',
  'trace=connect,sendto,sendmsg,sendmmsg',
  '-e',
  'signal=none',
  '-o',
  trace,
];

/** False, said aloud, where the tool is missing: then nobody has watched. */
export const canTrace = (): boolean => {
  const found = spawnSync('strace', ['-V']).status === 0;
  if (!found) process.stderr.write('NOT TESTED: strace is missing, so connections were not watched.\n');
  return found;
};
