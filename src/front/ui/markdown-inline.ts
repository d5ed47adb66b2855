import type { Token } from 'marked';
import { type Line, type Span, type Style, span } from './span.ts';

/** Inline markdown as spans. Addresses stand beside link texts unless the terminal shows links itself. */
export function inline(tokens: readonly Token[] | undefined, style: Style, links: boolean): Line {
  return (tokens ?? []).flatMap((token) => one(token, style, links));
}

function one(token: Token, style: Style, links: boolean): Span[] {
  const within = (more: Style): Span[] => [
    ...inline('tokens' in token ? token.tokens : undefined, { ...style, ...more }, links),
  ];
  switch (token.type) {
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? within({}) : [span(entities(token.text), some(style))];
    case 'strong':
      return within({ bold: true });
    case 'em':
      return within({ italic: true });
    case 'del':
      return within({ strike: true });
    case 'codespan':
      return [span(token.text, { ...style, role: 'code' })];
    case 'br':
      return [span('\n')];
    case 'link':
      return link(token.text, token.href, within({ role: 'link' }), style, links);
    case 'image':
      return link(
        token.text || 'image',
        token.href,
        [span(token.text || 'image', { ...style, role: 'link' })],
        style,
        links,
      );
    default:
      return [span('raw' in token ? token.raw : '', some(style))];
  }
}

function link(text: string, target: string, label: Span[], style: Style, links: boolean): Span[] {
  const address = target.replace(/^mailto:/, '');
  if (links && /^(https?|mailto|file):/i.test(target))
    return label.map((piece) =>
      span(piece.text, { ...piece.style, underline: true, link: encodeURI(decoded(target)) }),
    );
  if (text === target || text === address || target === '') return label;
  return [...label, span(` (${address})`, { ...style, role: 'dim' })];
}

const decoded = (target: string): string => {
  try {
    return decodeURI(target);
  } catch {
    return target;
  }
};

const some = (style: Style): Style | undefined => (Object.keys(style).length > 0 ? style : undefined);

/** Models write the five entities of XML now and then; all else stays as it is. */
const entities = (text: string): string =>
  text.replace(
    /&(amp|lt|gt|quot|#39|nbsp);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' })[name] ?? _,
  );
