/** Which addresses count as the open internet (T9). */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true });

/** False for loopback, private, link-local, carrier, translated, documentation and every other special range. */
export const isOpen = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** The address as it is compared: without brackets, without the dot at the end, lower case. */
export const hostOf = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** Why an address is not asked for at all; the end of the sentence says what to do. */
export const badUrl = (text: string): string | undefined => {
  if (text.length > 4_000) return 'The address is longer than 4,000 characters.';
  if (!URL.canParse(text))
    return `"${text}" is no address. Give a whole one, such as https://example.com/page.`;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `Only http and https addresses can be fetched, not ${url.protocol}`;
  if (url.username !== '' || url.password !== '')
    return 'An address with a user name or password in it is not fetched. Leave that part out.';
  return undefined;
};

/** What a host stands for: itself where it is a literal address. */
export const addressesOf = async (url: URL, resolve: Resolve): Promise<readonly Address[]> => {
  const host = hostOf(url);
  const family = isIP(host);
  return family ? [{ address: host, family }] : resolve(host);
};

/**
 * A sentence when one of the addresses is not open: every address that a name has must be, so that the name's owner
 * cannot mix in one that is not.
 */
export const closedReason = (
  url: URL,
  found: readonly Address[],
  open: (address: string) => boolean,
): string | undefined => {
  const host = hostOf(url);
  const inner = found.find(({ address }) => !open(address));
  if (!inner) return undefined;
  const means = inner.address === host ? 'is' : `leads to ${inner.address},`;
  return `${host} ${means} a private or special address: only the open internet is fetched. For a server of your own use a command such as curl.`;
};
