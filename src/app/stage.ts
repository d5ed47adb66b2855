/** The conversation on the screen, one at a time: shown, switched for another, closed at the end. */
import type { PromptColour } from '../commands/color.ts';
import type { SessionSwitch } from '../contract/command.ts';
import type { ScreenPorts } from '../contract/screen.ts';
import type { RunningScreen } from '../front/ui/screen-options.ts';
import type { MayUse } from './ask-changes.ts';
import { askImports } from './ask-imports.ts';
import type { Host } from './host.ts';
import type { House } from './house.ts';
import type { Lifecycle } from './lifecycle.ts';
import { modesOffered } from './mode-choice.ts';
import { nextRoot } from './next-root.ts';
import type { Root } from './root.ts';
import { screenFacts } from './screen-facts.ts';
import { saidTo, screenPorts } from './screen-ports.ts';
import type { Slash } from './slash.ts';
import { runStatusLine, type StatusLineRunner } from './status-line.ts';
import type { Typing } from './typing-habits.ts';

export interface Stage {
  root(): Root;
  /** Puts it on the screen; `first` is said in it. */
  show(what?: { readonly first?: string; readonly earlier?: boolean }): void;
  close(reason: 'asked' | 'other'): Promise<void>;
}

export interface StageDeps {
  readonly host: Host;
  readonly screen: RunningScreen;
  readonly house: House;
  readonly slash: Slash;
  readonly typing: Typing;
  readonly colour: PromptColour;
  readonly lifecycle: Lifecycle;
  readonly mayUse: MayUse;
  /** Opening, switching and ending follow each other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** The person is on the way out: nothing new is shown. */
  leaving(): boolean;
}

export const createStage = (deps: StageDeps, first: Root): Stage => {
  const { host, screen, house, slash, lifecycle, inTurn } = deps;
  const { commands } = screen;
  const { flags } = house.world;
  const mayImport = askImports(commands, house.instructions);
  let root = first;
  let statusLine: StatusLineRunner | undefined;
  let farewell: 'prompt_input_exit' | 'logout' = 'prompt_input_exit';
  /** What the conversation that is open now takes: what is typed while another one is opened goes to that. */
  let ports: ScreenPorts = {};

  const portsOf = (shown: Root): ScreenPorts =>
    screenPorts({
      house,
      slash,
      root: shown,
      commands,
      typing: deps.typing.habits,
      async beforePrompt() {
        await house.library.ready();
        await deps.mayUse();
        await mayImport(root.session.state());
      },
      exit(reason) {
        farewell = reason ?? farewell;
        commands.exit();
      },
      switchTo,
    });

  const show: Stage['show'] = ({ first: words, earlier = true } = {}) => {
    const shown = root;
    for (const note of shown.notes) commands.notice('warn', note);
    lifecycle.attend(shown);
    statusLine?.stop();
    const size = () => ({ columns: host.stdout.columns, rows: host.stdout.rows });
    const trouble = (text: string) => commands.notice('warn', text);
    statusLine = runStatusLine(house, shown, { size, vim: screen.vim, trouble }, () => commands.refresh());
    ports = portsOf(shown);
    commands.attach(shown.session, {
      ...(earlier ? { earlier: shown.earlier } : {}),
      first: words,
      facts: () =>
        screenFacts(
          house,
          shown.session.state(),
          modesOffered(house.world, flags),
          statusLine?.text(),
          deps.colour.now(),
        ),
      ports: saidTo(() => inTurn(async () => ports), ports),
    });
  };

  const switchTo = (to: SessionSwitch): Promise<void> =>
    inTurn(async () => {
      if (deps.leaving()) return;
      const next = await nextRoot(house, flags, root, to, lifecycle.follow);
      if ('refused' in next) {
        commands.notice('error', next.refused);
        return next.nowhere && commands.exit();
      }
      root = next.root;
      if (house.voice.problem) commands.notice('warn', house.voice.problem);
      if (next.instead) commands.notice('error', next.instead);
      const copied = to.how === 'fork' && !next.instead;
      if (copied && to.name) await root.session.record({ type: 'title', title: to.name, byPerson: true });
      if (deps.leaving()) return;
      show({ earlier: !copied });
      if (copied)
        commands.notice(
          'info',
          `You are in a copy now; the conversation it comes of stays: /resume ${to.id}`,
        );
    });

  return {
    root: () => root,
    show,
    async close(reason) {
      await root.close(reason === 'asked' ? farewell : 'other');
      statusLine?.stop();
    },
  };
};
