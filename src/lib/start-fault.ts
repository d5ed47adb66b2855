/** Why a program could not be started, as the end of a sentence without its stop; undefined where the system gave no known name. */
export const startFault = (error: unknown): string | undefined => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? causes[code] : undefined;
};

const causes: Readonly<Record<string, string>> = {
  EMFILE: 'too many files are open (raise the limit with `ulimit -n`)',
  ENFILE: 'too many files are open on this machine',
  EAGAIN: 'too many processes run (raise the limit with `ulimit -u`)',
  ENOMEM: 'there is not enough memory',
  E2BIG: 'its arguments and environment are too long',
};
