/** How a hook is called in everything that people and models read. */
import type { HookHandler } from '../contract/hook.ts';

const short = (text: string): string => {
  const line = text
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '' && !one.startsWith('#'));
  const said = line ?? text.trim();
  return said.length > 80 ? `${said.slice(0, 79)}…` : said;
};

/** Without what an address may hold that is nobody's business: a password, a query with a key in it. */
const bareUrl = (text: string): string => {
  if (!URL.canParse(text)) return short(text);
  const { protocol, host, pathname } = new URL(text);
  return short(`${protocol}//${host}${pathname}`);
};

export const labelOf = (handler: HookHandler): string => {
  switch (handler.type) {
    case 'command':
      return short([handler.command, ...(handler.args ?? [])].join(' '));
    case 'http':
      return bareUrl(handler.url);
    case 'prompt':
      return short(`prompt: ${handler.prompt}`);
    case 'agent':
      return short(`agent: ${handler.prompt}`);
  }
};
