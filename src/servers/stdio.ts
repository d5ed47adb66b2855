/** A server as a child process that speaks lines of JSON. Its process group ends with it, whatever it started itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { startFault } from '../lib/start-fault.ts';

/** A line longer than this is no message; characters. */
const LONGEST = 64 * 1024 * 1024;
/** How long it may take to end by itself, and after SIGTERM. */
const GRACE_MS = 150;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Sees to it that no process group outlives us, even when we are killed. */
export interface GroupGuard {
  /** Called before a group is started. */
  stand(): void;
  watch(group: number): void;
  forget(group: number): void;
}

export interface StdioTransport extends Transport {
  /** Why it ended, once it has. */
  ending(): string | undefined;
}

/** Whole lines of a stream of bytes; what is longer than `LONGEST` is given up. */
const linesOf = (each: (line: string) => void, tooLong: () => void): ((chunk: Buffer) => void) => {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let held = 0;
  return (chunk) => {
    const parts = decoder.write(chunk).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      pieces.push(part);
      each(pieces.join(''));
      pieces = [];
      held = 0;
    }
    pieces.push(last);
    held += last.length;
    if (held > LONGEST) tooLong();
  };
};

const parse = (line: string): JSONRPCMessage | undefined => {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

const whyNot = (error: Error, command: string): string => {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `There is no program ${command} (or no folder to start it in).`;
  if (code === 'EACCES') return `${command} may not be run.`;
  return `${command} could not be started: ${startFault(error) ?? error.message}.`;
};

const signal = (child: ChildProcess, name: NodeJS.Signals | 0): boolean => {
  try {
    return child.pid !== undefined && process.kill(-child.pid, name);
  } catch {
    return false;
  }
};

const gone = async (child: ChildProcess, withinMs: number): Promise<boolean> => {
  const until = performance.now() + withinMs;
  while (signal(child, 0)) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
};

/** `log` gets what it writes to standard error, and lines of standard output that are no messages. */
export const stdioTransport = (
  program: Program,
  log: (line: string) => void,
  guard?: GroupGuard,
): StdioTransport => {
  let child: ChildProcess | undefined;
  let ending: string | undefined;
  let told = false;
  const end = (why: string): void => {
    ending ??= why;
    if (told) return;
    told = true;
    transport.onclose?.();
  };
  const note = (line: string): void => {
    if (line.trim() !== '') log(line);
  };
  const transport: StdioTransport = {
    ending: () => ending,
    start: () =>
      new Promise((resolve, reject) => {
        guard?.stand();
        child = spawn(program.command, [...program.args], {
          env: program.env,
          cwd: program.cwd,
          stdio: 'pipe',
          detached: true,
        });
        child.on('error', (error) => {
          const why = whyNot(error, program.command);
          reject(new Error(why));
          end(why);
        });
        child.on('spawn', () => {
          if (child?.pid !== undefined) guard?.watch(child.pid);
          resolve();
        });
        child.on('exit', (code, name) => {
          ending ??= name ? `It was ended by ${name}.` : `It ended with exit code ${code}.`;
        });
        child.on('close', () => end('It ended.'));
        child.stdin?.on('error', (error) => note(`writing to it failed: ${error.message}`));
        const tooLong = () => {
          end(`It wrote more than ${LONGEST} characters without a line end.`);
          if (child) signal(child, 'SIGKILL');
        };
        child.stdout?.on(
          'data',
          linesOf((line) => {
            const message = parse(line);
            if (message) transport.onmessage?.(message);
            else note(line);
          }, tooLong),
        );
        child.stderr?.on('data', linesOf(note, tooLong));
      }),
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin?.writable) return reject(new Error(ending ?? 'It is not running.'));
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    async close() {
      if (!child) return;
      child.stdin?.end();
      if (!(await gone(child, GRACE_MS))) {
        signal(child, 'SIGTERM');
        if (!(await gone(child, GRACE_MS))) signal(child, 'SIGKILL');
      }
      if (child.pid !== undefined) guard?.forget(child.pid);
      end('It was ended.');
    },
  };
  return transport;
};
