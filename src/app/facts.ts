/** What a session tells the model of its surroundings: once at the start, later only what changed. Outside the cached prefix. */

import { type Mode, modes } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';

export interface Surroundings {
  readonly platform: string;
  readonly shell: string;
  readonly now: () => Date;
  readonly branch: (cwd: string) => string | undefined;
  readonly isRepository: (cwd: string) => boolean;
}

const day = (date: Date): string =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

export const environmentText = (state: SessionState, around: Surroundings): string => {
  const branch = around.branch(state.cwd);
  const lines = [
    `Working directory: ${state.cwd}`,
    ...(state.checkout === state.cwd ? [] : [`Root of the checkout: ${state.checkout}`]),
    ...(state.directories.length > 0 ? [`Further working directories: ${state.directories.join(', ')}`] : []),
    around.isRepository(state.cwd)
      ? `Git repository: yes${branch ? `, on branch ${branch}` : ''}`
      : 'Git repository: no',
    `Platform: ${around.platform}`,
    `Today is ${day(around.now())}.`,
    `Model: ${state.model}`,
  ];
  return `Facts about where you are:\n${lines.join('\n')}`;
};

const modeText: Readonly<Record<Mode, (state: SessionState) => string>> = {
  plan: (state) =>
    `Plan mode is on. Nothing may be changed: no edits, no commands that change anything, in this conversation or any agent of it; such calls are refused. Look around with read-only tools, then write the plan and put it before the user with ExitPlanModeTool${state.planFile ? ` (its file is ${state.planFile})` : ''}. List the files you mean to touch under a "## Files" heading.`,
  dontAsk: () => 'Permission mode is now dontAsk: what no rule allows is refused without a question.',
  default: () =>
    'Permission mode is now default: calls that change something are asked about unless a rule allows them.',
  acceptEdits: () =>
    'Permission mode is now acceptEdits: file edits inside the working directories need no question.',
  bypassPermissions: () => 'Permission mode is now bypassPermissions: calls run without a question.',
};

/** What the reminders of a resumed conversation told last. */
const lastTold = (state: SessionState): { readonly day?: string; readonly mode: Mode } => {
  const reminders = state.messages
    .flatMap((message) => (message.role === 'user' ? message.content : []))
    .flatMap((block) =>
      block.type === 'text' && block.text.startsWith('<system-reminder>') ? [block.text] : [],
    );
  const find = (pattern: RegExp) =>
    reminders.flatMap((text) => pattern.exec(text)?.slice(1) ?? []).findLast((found) => found !== undefined);
  const named = find(/^(Plan mode) is on\.|^Permission mode is now (\w+)/m);
  return {
    day: find(/^(?:Today is|The date has changed: today is) (\d{4}-\d\d-\d\d)\.$/m),
    mode: named === 'Plan mode' ? 'plan' : (modes.find((mode) => mode === named) ?? 'default'),
  };
};

/** Told once each: remembers per session what the model knows; after a resume the conversation itself tells. */
export const createNews = (around: Surroundings) => {
  const told = new Map<string, { readonly day?: string; readonly mode: Mode }>();
  return {
    /** What the opening already said. */
    opened(state: SessionState): void {
      told.set(state.id, { day: day(around.now()), mode: 'default' });
    },
    changed(state: SessionState): readonly string[] {
      const today = day(around.now());
      const before = told.get(state.id) ?? lastTold(state);
      told.set(state.id, { day: today, mode: state.mode });
      return [
        ...(before.day === today || before.day === undefined
          ? []
          : [`The date has changed: today is ${today}.`]),
        ...(before.mode === state.mode ? [] : [modeText[state.mode](state)]),
      ];
    },
    forget: (id: string): void => void told.delete(id),
  };
};
