import type { CommandFacts } from './command-facts.ts';
import { list, reasons } from './option-tables.ts';
import { lookUp, scanOptions } from './options.ts';
import type { ShellCommand } from './shell-command.ts';

const curlShape = {
  short: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
  long: (
    '--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to ' +
    '--continue-at --cookie --cookie-jar --create-file-mode --crlfile --curves --data --data-ascii --data-binary --data-raw --data-urlencode ' +
    '--delegation --dns-interface --dns-servers --doh-url --dump-header --egd-file --engine --etag-compare --etag-save --expect100-timeout ' +
    '--form --form-string --ftp-account --ftp-method --ftp-port --happy-eyeballs-timeout-ms --header --hostpubmd5 --hsts --interface --json ' +
    '--keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port --login-options --mail-auth --mail-from --mail-rcpt ' +
    '--max-filesize --max-redirs --max-time --netrc-file --noproxy --oauth2-bearer --output --output-dir --parallel-max --pass --pinnedpubkey ' +
    '--preproxy --proto --proto-default --proto-redir --proxy --proxy-header --proxy-user --pubkey --quote --random-file --range --rate --referer ' +
    '--request --request-target --resolve --retry --retry-delay --retry-max-time --service-name --socks4 --socks4a --socks5 --socks5-hostname ' +
    '--speed-limit --speed-time --stderr --telnet-option --tftp-blksize --time-cond --tls-max --tlsuser --trace --trace-ascii --trace-config ' +
    '--unix-socket --upload-file --url --url-query --user --user-agent --variable --write-out'
  ).split(' '),
};

const _writes = 'writes a file';
const _elsewhere = 'sends the request elsewhere';
const fromFile = 'reads a file to send';
const curlDanger: Readonly<Record<string, string>> = reasons(
  '-o --output -O --remote-name --remote-name-all -J --output-dir -D --dump-header -c --cookie-jar --stderr --trace --trace-ascii --libcurl --etag-save --hsts --alt-svc: writes a file; -K --config: reads more options from a file; -T --upload-file -F --form -E --cert --key: reads a file to send; -n --netrc --netrc-file --netrc-optional: sends stored passwords; -x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --connect-to --resolve --unix-socket --abstract-unix-socket --doh-url --dns-servers --interface: sends the request elsewhere; -: --next: starts a second request; --url: names another address; --engine: loads a library; -Q --quote: sends server commands; --variable: reads variables or files; -k --insecure: switches certificate checks off; --proto --proto-default: changes the protocols; -w --write-out: may write files',
);
const curlSafe = list(
  '--proto-redir --proxy-header --form-string --output-dir --cert-type --key-type --url-query',
);
/** These take text, or a file when the text begins with @. */
const bodyOptions: readonly string[] = list(
  '-d --data --data-ascii --data-binary --data-urlencode --json -H --header -b --cookie',
);

const takesBody = (name: string): boolean =>
  bodyOptions.some((full) => full === name || (name.length > 4 && full.startsWith(name)));

export const curlFacts = (command: ShellCommand): CommandFacts => {
  const { options, operands } = scanOptions(command.words.slice(1), curlShape);
  const hazards = options.flatMap(({ name, value }) => {
    const text = value?.pattern ?? '';
    if (takesBody(name))
      return /^@|^[^=]*@/.test(text) && !/^[^@]*[:=]/.test(text) ? [`${name} ${fromFile}`] : [];
    if ((name === '-w' || name === '--write-out') && !/output\{|^@/.test(text)) return [];
    if ((name === '-o' || name === '--output') && (text === '/dev/null' || text === '-')) return [];
    const reason = lookUp(name, curlDanger, curlSafe);
    return reason ? [`${name} ${reason}`] : [];
  });
  if (operands.length > 1) hazards.push('a second address');
  for (const { pattern, raw } of operands) {
    if (/^(?!https?:\/\/)[a-z][a-z0-9+.-]*:\/\//i.test(pattern)) hazards.push(`the protocol of ${pattern}`);
    if (/^https?:\/\/[^/]*@/i.test(pattern))
      hazards.push('an address with a user name, which may hide the host');
    if (/[{[]/.test(pattern + raw)) hazards.push('an address that stands for several');
  }
  const reads = options.flatMap(({ name, value }) => {
    const text = value?.pattern ?? '';
    const path =
      takesBody(name) || /^(-F|--form)$/.test(name)
        ? /(?:^|=)[@<](.+)$/.exec(text)?.[1]
        : /^(-T|--upload-file|-K|--config)$/.test(name)
          ? text
          : undefined;
    return value && path ? [{ word: { ...value, pattern: path } }] : [];
  });
  return { hazards, reads, writes: [] };
};

const wgetShape = {
  short: 'aBDeGiIlnoOPQRtTUwX',
  long: '--append-output --base --bind-address --body-data --body-file --ca-certificate --config --connect-timeout --cut-dirs --default-page --directory-prefix --execute --header --http-password --http-user --input-file --level --limit-rate --load-cookies --method --output-document --output-file --password --post-data --post-file --progress --referer --reject --rejected-log --save-cookies --start-pos --timeout --tries --use-askpass --user --user-agent --wait --warc-file'.split(
    ' ',
  ),
};
const wgetDanger: Readonly<Record<string, string>> = reasons(
  '-a --append-output -o --output-file -O --output-document -P --directory-prefix --save-cookies --warc-file --rejected-log -r --recursive -m --mirror -p --page-requisites: writes a file; -i --input-file: reads addresses from a file; --post-file --body-file --load-cookies: reads a file to send; --use-askpass: runs a program; -e --execute: sets configuration; --config: reads configuration; -b --background: goes on in the background',
);

export const wgetFacts = (command: ShellCommand): CommandFacts => {
  const { options, operands } = scanOptions(command.words.slice(1), wgetShape);
  const out = options.find(
    ({ name }) => name === '-O' || (name.length > 9 && '--output-document'.startsWith(name)),
  );
  const harmlessOut = out !== undefined && ['-', '/dev/null'].includes(out.value?.pattern ?? '');
  const spider = options.some(({ name }) => name === '--spider');
  const hazards = options.flatMap((option) => {
    if (option === out && harmlessOut) return [];
    const reason = lookUp(option.name, wgetDanger);
    return reason ? [`${option.name} ${reason}`] : [];
  });
  if (!harmlessOut && !spider && !out) hazards.push('a file named by the server is written');
  if (operands.length > 1) hazards.push('a second address');
  return { hazards, reads: [], writes: [] };
};
