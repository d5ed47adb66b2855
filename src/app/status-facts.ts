import { release } from 'node:os';
import { shortNumber } from '../commands/answer.ts';
import type { CommandPlace } from '../contract/command.ts';
import type { Sandbox, SandboxState } from '../contract/sandbox.ts';
import { diskUse } from '../store/cleanup.ts';
import type { Models } from './models.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

const sandboxLine = (state: SandboxState): string =>
  state.state === 'unavailable' ? `unavailable: ${state.reason}` : state.state;

/** What `/status` says. */
export const statusFacts = async (
  world: World,
  models: Models,
  sandbox: Sandbox,
  { session }: CommandPlace,
): Promise<readonly (readonly [string, string])[]> => {
  const state = session.state();
  const bytes = world.homes.own ? await diskUse(world.homes.own) : 0;
  const files = world.loaded().layers.map((layer) => `${layer.file} (${layer.scope})`);
  return [
    ['version', VERSION],
    ['session', `${state.title ? `${state.title}, ` : ''}${session.id}`],
    ['directory', state.cwd],
    ['project', `${world.project}${world.trust.trusted ? '' : ' (not trusted)'}`],
    ['model', `${state.model}${models.practice ? ' (offline, no language model)' : ''}`],
    [
      'endpoint',
      models.practice
        ? 'none: practice, offline, nothing is sent'
        : (models.baseUrl ?? 'https://api.anthropic.com'),
    ],
    ['credential', models.practice ? 'none needed' : (models.credential ?? 'none')],
    ['mode', state.mode],
    ['sandbox', sandboxLine(sandbox.state())],
    ['settings files', files.length > 0 ? files.join(', ') : 'none'],
    ['settings problems', String(world.loaded().problems.length)],
    [
      'disk use',
      world.stores.memoryOnly ? 'nothing is saved' : `${shortNumber(bytes)}B in ${world.homes.own}`,
    ],
  ];
};

/** What a report should say of the computer. */
export const machineFacts = ({ host }: World): readonly (readonly [string, string])[] => {
  const { TERM_PROGRAM, TERM_PROGRAM_VERSION = '', TERM = 'unknown', TMUX, SHELL = 'unknown' } = host.env;
  return [
    ['system', `${host.platform} ${release()}, Node ${process.versions.node}`],
    [
      'terminal',
      `${TERM_PROGRAM ? `${TERM_PROGRAM} ${TERM_PROGRAM_VERSION}, ` : ''}${TERM}${TMUX ? ', in tmux' : ''}`,
    ],
    ['shell', SHELL],
  ];
};
