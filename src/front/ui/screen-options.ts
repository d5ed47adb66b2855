import type { ScreenCommands, ScreenFacts, ScreenPorts } from '../../contract/screen.ts';
import type { Session } from '../../contract/session.ts';
import type { Entry } from '../../contract/transcript.ts';
import type { Colours } from './highlight.ts';
import type { ColorLevel, ThemeName } from './theme.ts';
import type { VimWatch } from './vim/vim-watch.ts';

export interface ScreenOptions {
  /** May be attached later: dialogs and typing work before. */
  readonly session?: Session;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly version: string;
  /** Called right before Ink draws: erases the frame drawn before it and answers what was typed so far. */
  takeOver?(): string;
  /** Where the session will be. */
  readonly cwd: string;
  readonly theme: ThemeName;
  readonly color: {
    readonly level: ColorLevel;
    readonly links: boolean;
    readonly background: 'dark' | 'light';
  };
  /** Read after every frame of events: must be cheap. */
  facts(): ScreenFacts;
  readonly ports: ScreenPorts;
  /** Entries of a resumed session, written out first. */
  readonly earlier?: readonly Entry[];
  /** False for a screen without the welcome (after trust questions and the like). */
  readonly welcome?: boolean;
  /** No moving signs; elapsed time moves once a second. */
  readonly calm?: boolean;
  /** Grammars that are loaded already. */
  readonly colours?: Colours;
  now?(): number;
}

export interface RunningScreen {
  readonly commands: ScreenCommands;
  /** Resolves when the person leaves; the terminal is restored by then. */
  readonly exit: Promise<{ readonly reason: 'quit' | 'end' | 'command' }>;
  readonly vim?: VimWatch;
  /** For signal handlers and crashes: takes the screen down at once. */
  restoreTerminal(): void;
}
