import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf } from './open-address.ts';

/**
 * Which addresses `NO_PROXY` spares the proxy. Entries are parted by commas or blanks, in any case: `*` all,
 * `example.com`, `.example.com` and `*.example.com` a host and what lies below it, `10.0.0.0/8` a range of
 * addresses; each of them may end in a port (`example.com:8080`, `[::1]:8080`).
 */
export const spared = (list: string): ((url: URL) => boolean) => {
  const entries = list.split(/[\s,]+/).flatMap((text) => (text === '' ? [] : [entryOf(text.toLowerCase())]));
  return (url) => {
    const host = hostOf(url);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return entries.some((entry) => (entry.port === undefined || entry.port === port) && entry.means(host));
  };
};

interface Entry {
  readonly port?: string;
  readonly means: (host: string) => boolean;
}

const entryOf = (text: string): Entry => {
  const [, bracketed, plain = text, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { ...(port === undefined ? {} : { port }), means: meaningOf(bracketed ?? plain) };
};

const meaningOf = (name: string): Entry['means'] => {
  if (name === '*') return () => true;
  if (ipaddr.isValidCIDR(name)) return within(name);
  if (isIP(name)) return within(`${name}/${isIP(name) === 4 ? 32 : 128}`);
  const wanted = name.replace(/^\*?\.+/, '').replace(/\.$/, '');
  return (host) => wanted !== '' && !isIP(host) && (host === wanted || host.endsWith(`.${wanted}`));
};

const within = (range: string): Entry['means'] => {
  const [base, bits] = ipaddr.parseCIDR(range);
  return (host) => {
    if (!isIP(host)) return false;
    const address = ipaddr.process(host);
    return address.kind() === base.kind() && address.match(base, bits);
  };
};
