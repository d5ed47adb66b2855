/** What was named is not there: exit code 1. */
export class NotFound extends Error {}
