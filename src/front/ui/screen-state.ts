import type { AskId } from '../../contract/ids.ts';
import type { ScreenFacts, TaskBoard } from '../../contract/screen.ts';
import type { TeamLook } from '../../contract/team-look.ts';
import type { AgentFocus } from './agent-tree.ts';
import type { AskUi } from './ask-choices.ts';
import type { Highlighter } from './highlight.ts';
import type { Page } from './page.ts';
import type { Picker } from './picker.ts';
import type { Prompt } from './prompt.ts';
import type { Theme } from './theme.ts';
import type { View } from './view-state.ts';

/** Something a command asks; one at a time, drawn in place of the prompt. */
export type Dialog =
  | { readonly kind: 'pick'; readonly picker: Picker }
  | {
      readonly kind: 'input';
      readonly title: string;
      readonly body?: string;
      readonly secret: boolean;
      readonly text: string;
    }
  | {
      readonly kind: 'confirm';
      readonly title: string;
      readonly body: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
      readonly index: number;
    };

/** Everything the screen is drawn from. */
export interface ScreenState {
  readonly view: View;
  readonly prompt: Prompt;
  readonly facts: ScreenFacts;
  readonly theme: Theme;
  readonly highlight?: Highlighter;
  /** Where the session is: paths below it are shown without it. */
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  /** Epoch milliseconds of the last tick; moves only while something runs. */
  readonly now: number;
  readonly tick: number;
  /** The last finished thing is a call of a single row: the next one may stand close to it. */
  readonly row: boolean;
  readonly asks: Readonly<Record<AskId, AskUi>>;
  readonly dialog?: Dialog;
  /** Keys go to the tree of agents. */
  readonly agentFocus?: AgentFocus;
  /** On a page of its own: transcript, panel. */
  readonly page?: Page;
  /** Said in the footer for a moment. */
  readonly hint?: string;
  /** A key that does something when pressed again. */
  readonly armed?: 'cancel' | 'end' | 'escape' | 'agents';
  readonly help: boolean;
  readonly tasksShown: boolean;
  readonly tasks: TaskBoard;
  /** The team that this conversation is in. */
  readonly team?: TeamLook;
  /** Newest first; loaded when first wanted. */
  readonly history?: readonly string[];
  readonly stash?: string;
  /** Output of a running `! command`. */
  readonly shell?: { readonly command: string; readonly output: string };
  /** Commands typed during a turn. */
  readonly waiting: readonly string[];
}
