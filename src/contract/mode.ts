/** Permission modes, from strict to loose (ruling 31). `default` is the spec's "normal". */
export const modes = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'] as const;
export type Mode = (typeof modes)[number];

/** The stricter of two modes: a child never runs looser than its parent. */
export const stricter = (a: Mode, b: Mode): Mode => (modes.indexOf(a) <= modes.indexOf(b) ? a : b);
