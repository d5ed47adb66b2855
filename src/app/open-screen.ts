/** The screen before there is anything behind it: loaded first, so that keys are taken while the rest loads. */
import { homedir, tmpdir } from 'node:os';
import { runLines } from '../front/ui/line-mode.ts';
import { runScreen } from '../front/ui/run.tsx';
import type { RunningScreen } from '../front/ui/screen-options.ts';
import { backgroundFrom, colorLevel, showsLinks } from '../front/ui/theme.ts';
import type { FirstFrame } from './first-frame.ts';
import { branchOf } from './git-facts.ts';
import type { Host } from './host.ts';

export const openScreen = (host: Host, version: string, frame: FirstFrame | undefined): RunningScreen => {
  const { env, cwd } = host;
  const home = homedir();
  const directory = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  const branch = branchOf(cwd);
  // Where rows cannot be drawn, or are read aloud, the conversation goes on as plain lines.
  const run = env.TERM === 'dumb' || env.COPPICE_SCREEN_READER === '1' ? runLines : runScreen;
  return run({
    stdin: host.stdin,
    stdout: host.stdout,
    version,
    takeOver: frame ? () => frame.take() : undefined,
    cwd,
    theme: 'auto',
    color: { level: colorLevel(env), links: showsLinks(env), background: backgroundFrom(env) },
    facts: () => ({
      model: '',
      directory,
      branch,
      mode: 'default',
      modes: ['default', 'acceptEdits', 'plan'],
    }),
    ports: {
      editText: async (text, extension) =>
        (await import('./editor.ts')).editText(text, extension, env, env.XDG_RUNTIME_DIR ?? tmpdir()),
    },
  });
};
