/** A string that the type system keeps apart from every other string. */
export type Brand<Name extends string> = string & { readonly __brand: Name };

/** UUID of a session; also the name of its transcript file. */
export type SessionId = Brand<'SessionId'>;
/** The id of one tool call, as the model gave it (`tool_use.id`). */
export type CallId = Brand<'CallId'>;
/** One question put to a person. */
export type AskId = Brand<'AskId'>;
