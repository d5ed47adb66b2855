/** Owns execa: small programs of the person's own (key helper, status line, file suggestions) that are asked and answer. */
export interface ProgramCall {
  /** A shell line, as people write it in their settings. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What it printed, or a sentence that says how it failed. Output beyond 1 MB is cut. */
export type ProgramAnswer = { readonly output: string } | { readonly failed: string };

const MOST = 1024 * 1024;

export const askProgram = async (call: ProgramCall): Promise<ProgramAnswer> => {
  // Most runs ask none.
  const { execa } = await import('execa');
  const result = await execa('bash', ['--norc', '--noprofile', '-c', call.command], {
    cwd: call.cwd,
    env: { ...call.env },
    extendEnv: false,
    input: call.input ?? '',
    timeout: call.timeoutMs,
    cancelSignal: call.signal,
    maxBuffer: MOST,
    forceKillAfterDelay: 1000,
    stripFinalNewline: true,
    reject: false,
  });
  if (result.isMaxBuffer) return { output: result.stdout };
  if (result.timedOut)
    return { failed: `\`${call.command}\` gave no answer within ${call.timeoutMs / 1000} s.` };
  if (result.isCanceled) return { failed: `\`${call.command}\` was cancelled.` };
  if (result.failed)
    return {
      failed:
        `\`${call.command}\` failed (exit code ${result.exitCode ?? 'none'}): ${result.stderr.split('\n')[0] ?? ''}`.trim(),
    };
  return { output: result.stdout };
};
