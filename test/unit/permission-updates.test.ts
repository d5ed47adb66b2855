import { describe, expect, it } from 'vitest';
import { boundState } from '../../src/app/bound-state.ts';
import { permissionUpdates } from '../../src/app/permission-updates.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { Entry } from '../../src/contract/transcript.ts';
import { fold } from '../../src/loop/fold.ts';

const id = 'root' as SessionId;
const stamped = (bodies: readonly object[]): readonly Entry[] =>
  bodies.map(
    (body, at) => ({ uuid: `u${at}`, parentUuid: null, timestamp: '', ...body }) as unknown as Entry,
  );
const opened = {
  type: 'opened',
  source: 'startup',
  agent: { type: 'main' },
  root: id,
  cwd: '/p',
  project: '/p',
};
const session = (more: object = {}, then: readonly object[] = []): SessionState => {
  const state = fold(
    id,
    stamped([{ ...opened, model: 'm', mode: 'default', taskList: 't', ...more }, ...then]),
  );
  if (!state) throw new Error('no state');
  return state;
};

describe('updates that a hook wants', () => {
  const saved: unknown[] = [];
  const update = permissionUpdates({
    save: async (...what) => {
      saved.push(what);
      return { written: 'file' };
    },
    setMode: async () => ({ refused: 'read-only' }),
    refused: (mode) => (mode === 'bypassPermissions' ? 'not here' : undefined),
  });
  const rules = [{ toolName: 'Bash', ruleContent: 'npm test' }, { toolName: 'WebSearch' }];

  it('become entries for this session', async () => {
    const updates = [
      { type: 'addRules', rules, behavior: 'allow', destination: 'session' },
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'rm *' }],
        behavior: 'deny',
        destination: 'session',
      },
      { type: 'removeRules', rules: [{ toolName: 'WebSearch' }], behavior: 'allow', destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'addDirectories', directories: ['/other'], destination: 'session' },
    ];
    const { entries, problems } = await update(updates, session());
    expect(problems).toEqual([]);
    const after = session({}, entries);
    expect(after).toMatchObject({
      grants: ['Bash(npm test)'],
      barred: [{ behavior: 'deny', rule: 'Bash(rm *)' }],
      mode: 'acceptEdits',
      directories: ['/other'],
    });
  });

  it('go to the file they name', async () => {
    saved.length = 0;
    await update([{ type: 'replaceRules', rules, behavior: 'ask', destination: 'userSettings' }], session());
    expect(saved).toEqual([['userSettings', 'ask', 'replace', ['Bash(npm test)', 'WebSearch']]]);
  });

  it('are told of when they cannot be done', async () => {
    const updates = [
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
      { type: 'setMode', mode: 'plan', destination: 'localSettings' },
      { type: 'addRules', rules: 'Bash' },
    ];
    const { entries, problems } = await update(updates, session());
    expect(entries).toEqual([]);
    expect(problems).toEqual(['not here', 'read-only', expect.stringContaining('documented shape')]);
  });
});

describe('a child', () => {
  const child = { parent: id, mode: 'acceptEdits' };
  it.each([
    ['plan', 'plan'],
    ['dontAsk', 'dontAsk'],
    ['default', 'default'],
    ['acceptEdits', 'acceptEdits'],
    ['bypassPermissions', 'acceptEdits'],
  ])('of a session in mode %s is held to %s', (mode, expected) => {
    expect(boundState(session(child), () => session({ mode })).mode).toBe(expected);
  });

  it('has the grants and the plan of those above it', () => {
    const root = session({}, [
      { type: 'grant', rules: ['WebSearch'] },
      { type: 'mode', mode: 'acceptEdits', planScope: ['/p/a'] },
    ]);
    expect(boundState(session(child), () => root)).toMatchObject({
      grants: ['WebSearch'],
      planScope: ['/p/a'],
    });
  });

  it('answers to the root where its parent is closed', () => {
    const above = (session_: SessionId) => (session_ === id ? session({ mode: 'plan' }) : undefined);
    expect(boundState(session({ parent: 'gone' }), above).mode).toBe('plan');
  });
});
