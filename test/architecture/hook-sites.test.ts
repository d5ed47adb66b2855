import { describe, expect, test } from 'vitest';
import { sources } from './sources.ts';

/** Where each lifecycle event leaves the program: one line in one file. */
const SITE: Readonly<Record<string, string>> = {
  PreToolUse: 'loop/clear.ts',
  PermissionRequest: 'loop/authorize.ts',
  PermissionDenied: 'loop/authorize.ts',
  PostToolUse: 'loop/execute.ts',
  PostToolUseFailure: 'loop/execute.ts',
  UserPromptSubmit: 'loop/mail.ts',
  Stop: 'loop/session-hooks.ts',
  StopFailure: 'loop/session.ts',
  SessionStart: 'loop/session-hooks.ts',
  SessionEnd: 'loop/session.ts',
  CwdChanged: 'loop/session.ts',
  PreCompact: 'loop/compact.ts',
  PostCompact: 'loop/compact.ts',
  SubagentStart: 'agents/subagent-hooks.ts',
  SubagentStop: 'agents/subagent-hooks.ts',
  TaskCreated: 'app/task-events.ts',
  TaskCompleted: 'app/task-events.ts',
  TeammateIdle: 'agents/mate.ts',
  Setup: 'app/lifecycle.ts',
  ConfigChange: 'app/lifecycle.ts',
  InstructionsLoaded: 'app/instructions.ts',
  FileChanged: 'app/lifecycle.ts',
  Notification: 'app/lifecycle.ts',
  UserPromptExpansion: 'app/slash.ts',
  WorktreeCreate: 'app/worktree-yard.ts',
  WorktreeRemove: 'app/worktree-yard.ts',
};

const dispatched = sources.flatMap(({ path, code }) =>
  [...code.matchAll(/\bdispatch(?:<[^>]*>)?\(/g)].flatMap((call) =>
    namesIn(firstArgument(code, call.index + call[0].length)).map((event) => ({ event, path })),
  ),
);

test('only known events are dispatched', () => {
  expect(dispatched.filter(({ event }) => !(event in SITE))).toEqual([]);
});

describe('one line dispatches', () => {
  test.each(Object.keys(SITE))('%s', (event) => {
    const paths = dispatched.filter((call) => call.event === event).map(({ path }) => path);
    expect(paths).toEqual([`src/${SITE[event]}`]);
  });
});

/** The text up to the first comma or closing bracket that belongs to the call itself. */
function firstArgument(code: string, start: number): string {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    const sign = code.charAt(at);
    if (depth === 0 && (sign === ',' || sign === ')')) return code.slice(start, at);
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
  }
  return code.slice(start);
}

/** The quoted results of an argument: `ok === 'yes' ? 'A' : 'B'` names A and B. */
function namesIn(argument: string): string[] {
  return [...argument.matchAll(/(?<![=!]=\s*)'(\w+)'/g)].flatMap(([, name]) => name ?? []);
}
