/** Styled text before it meets a theme: what painters return, what tests compare. */

/** What a piece of text is, not how it looks; a theme gives each role its colours. */
export type Role =
  | 'plain'
  | 'dim'
  | 'faint'
  | 'accent'
  | 'user'
  | 'heading'
  | 'code'
  | 'link'
  | 'quote'
  | 'border'
  | 'ok'
  | 'warn'
  | 'error'
  | 'running'
  | 'plan'
  | 'edits'
  | 'danger'
  | 'shell'
  | 'select'
  | 'added'
  | 'removed'
  | 'lineNumber'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'attribute'
  | 'meta';

export type Back = 'addedLine' | 'addedWord' | 'removedLine' | 'removedWord' | 'match' | 'selected';

export interface Style {
  readonly role?: Role;
  readonly back?: Back;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
  /** Target of a link; already checked. */
  readonly link?: string;
}

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One row of the screen. */
export type Line = readonly Span[];

export const span = (text: string, style?: Style): Span => (style ? { text, style } : { text });
/** A span of one role. */
export const as = (role: Role, text: string, more?: Style): Span => ({ text, style: { role, ...more } });
export const blank: Line = [];
/** The text of a line without its looks. */
export const plain = (line: Line): string => line.map((piece) => piece.text).join('');
/** Lays a style under every span; what a span says itself wins. */
export const under = (line: Line, style: Style): Line =>
  line.map((piece) => ({ text: piece.text, style: { ...style, ...piece.style } }));
