/** An address answers 404 when it does not know our session any more: nothing of the request was done. */
export const isSessionGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 404;
