/** Which addresses an http hook may reach (ruling 27). */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';
const ranges = (list: readonly (readonly [string, number])[]): BlockList => {
  const block = new BlockList();
  for (const [net, prefix] of list) block.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return block;
};

const loopback = ranges([
  ['127.0.0.0', 8],
  ['::1', 128],
]);
/** Everything that is not the open internet. */
const inner = ranges([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]);

/** An IPv4 address in IPv6 clothes is judged as what it is. */
const plain = (address: string): string => {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (dotted) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (!hex) return address;
  const [high, low] = [Number.parseInt(hex[1] ?? '', 16), Number.parseInt(hex[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
};

const among = (list: BlockList, address: string): boolean => {
  const bare = plain(address);
  const family: Family = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
  return list.check(bare, family);
};

export type Resolve = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;
const resolveHost: Resolve = (host) => lookup(host, { all: true });

/** `*` stands for any text; without one the whole address must be equal. */
export const urlFits = (url: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  ).test(url);

export type Reachable =
  | { readonly address: string; readonly family: number }
  /** A sentence's end: why the hook is not sent. */
  | { readonly refused: string };

/**
 * The one address that may be connected to. A name that says loopback must mean it; any other private address needs an
 * entry in the person's `allowedHttpHookUrls`. Every address a name has must pass, so that an answer cannot be chosen.
 */
export const reachable = async (
  url: URL,
  allowed: readonly string[] | undefined,
  resolve: Resolve = resolveHost,
): Promise<Reachable> => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const listed = allowed?.some((pattern) => urlFits(url.href, pattern)) ?? false;
  if (allowed && !listed)
    return { refused: `${url.origin} is not among allowedHttpHookUrls of your settings.` };
  const saysLoopback = /^(?:.+\.)?localhost\.?$/i.test(host) || (isIP(host) !== 0 && among(loopback, host));
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolve(host);
  const first = found[0];
  if (!first) return { refused: `${host} has no address.` };
  const bad = found.find(({ address }) =>
    saysLoopback ? !among(loopback, address) : among(inner, address) && !listed,
  );
  if (bad)
    return {
      refused: `${host} is the private address ${bad.address}; add the URL to allowedHttpHookUrls in your user settings to allow it.`,
    };
  return first;
};
