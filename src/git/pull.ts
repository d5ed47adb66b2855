/** Fetches a pull request of origin. The only call that goes to the network; what the repository says about how, does not count. */
import type { Refused } from '../contract/worktree.ts';
import type { WorktreeDeps } from './ports.ts';
import { commitsOf, type Repository } from './repository.ts';
import { repositorySettings } from './repository-settings.ts';
import { complaintOf, GitFailed, type Setting } from './run.ts';

/** Where servers keep the head of a pull request. */
const PLACES = [(id: number) => `refs/pull/${id}/head`, (id: number) => `refs/merge-requests/${id}/head`];

const PATIENCE_MS = 120_000;

/** The commit of its head. */
export const fetchPull = async (
  { network }: WorktreeDeps,
  { git }: Repository,
  id: number,
): Promise<string | Refused> => {
  const { own, others } = await repositorySettings(git.program, git.cwd);
  const last = (settings: readonly Setting[], key: string) =>
    settings.findLast(([name]) => name === key)?.[1];
  const url = last([...others, ...own], 'remote.origin.url');
  if (!url)
    return {
      refused: `The pull request #${id} cannot be fetched: the repository has no remote called origin.`,
    };
  const ref = `refs/coppice/pull/${id}`;
  const ssh = network.GIT_SSH_COMMAND ?? last(others, 'core.sshcommand') ?? 'ssh -o BatchMode=yes';
  const safe = git.with(ourWay(own, others));
  let said = '';
  for (const place of PLACES) {
    const done = await safe.run(
      [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--upload-pack',
        'git-upload-pack',
        '--end-of-options',
        url,
        `+${place(id)}:${ref}`,
      ],
      {
        env: { ...network, GIT_SSH_COMMAND: ssh, GIT_ALLOW_PROTOCOL: 'https:http:ssh:file' },
        signal: AbortSignal.timeout(PATIENCE_MS),
      },
    );
    if (done.code === 0) {
      const [commit] = await commitsOf(git, [ref]);
      await git.run(['update-ref', '-d', ref]);
      if (!commit) throw new GitFailed(`What origin has as #${id} is no commit.`, 1);
      return commit;
    }
    said ||= complaintOf(done);
    if (!/couldn't find remote ref/i.test(done.stderr)) break;
  }
  return {
    refused: `The pull request #${id} could not be fetched from origin (${withoutSecrets(url)}): ${said}.`,
  };
};

/** Passwords stand in some addresses. */
const withoutSecrets = (url: string): string => url.replace(/\/\/[^/@]*@/, '//');

/** By which ways, with what of the person's and past which checks a repository lets http go. */
const HTTP =
  /^http\.(?:.+\.)?(?:proxy|proxyssl\w+|extraheader|cookiefile|savecookies|curloptresolve|ssl(?:verify|cainfo|capath|cert|key))$/i;

/** The person's own value, else none; an empty one would switch the check of certificates off. */
const plainHttp = (key: string, others: readonly Setting[]): Setting => [
  key,
  others.findLast(([name]) => name === key)?.[1] ?? (/\.sslverify$/i.test(key) ? 'true' : ''),
];

/** Who is asked for passwords, and what is started on the other side, is for the person to say. */
const ourWay = (own: readonly Setting[], others: readonly Setting[]): readonly Setting[] => [
  ['core.askPass', ''],
  ['credential.helper', ''],
  ...others.filter(([key]) => /^credential\.(.+\.)?helper$/i.test(key)),
  ...own.flatMap(([key]): readonly Setting[] =>
    HTTP.test(key)
      ? [plainHttp(key, others)]
      : /^remote\..+\.uploadpack$/i.test(key)
        ? [[key, 'git-upload-pack']]
        : [],
  ),
];
