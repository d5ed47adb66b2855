import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { inboxOf } from '../../src/contract/team.ts';
import { openDesk, state } from './team-desk.ts';

const lead = state('lead', { team: 'crew', taskList: 'crew' });
const mate = (name: string) =>
  state(`s-${name}`, {
    parent: 'lead' as SessionId,
    root: 'lead' as SessionId,
    agent: { type: 'general-purpose', name },
    team: 'crew',
    taskList: 'crew',
  });
const [ann, bob] = [mate('ann'), mate('bob')];
const summary = 'five words of a summary';
const shutdown = { type: 'shutdown_request', reason: 'enough' };

let desk: ReturnType<typeof openDesk>;
beforeEach(async () => {
  desk = openDesk({
    agents: [
      {
        id: 'x1' as SessionId,
        name: 'scout',
        type: 'Explore',
        label: 'look',
        status: 'done',
        background: true,
        output: '',
        parent: 's1' as SessionId,
      },
    ],
  });
  await desk.json('TeamCreateTool', { team_name: 'crew' }, state('lead'));
  for (const name of ['ann', 'bob'])
    await desk.teams.join('crew', {
      name,
      session: `s-${name}` as SessionId,
      cwd: '/p',
      backendType: 'in-process',
      state: 'working',
      agentType: 'general-purpose',
    });
});

describe('text', () => {
  it('goes to a name, an alias, everybody but the sender', async () => {
    expect(await desk.json('SendMessageTool', { to: 'ann', message: 'hello', summary }, lead)).toEqual({
      success: true,
      message: 'Message stored for ann.',
      routing: { sender: 'team-lead', target: 'ann', summary, recipients: ['ann'], message_ids: ['mail-1'] },
    });
    for (const to of ['team-lead', 'lead', 'main', '@team-lead', 'team-lead@crew'])
      await desk.json('SendMessageTool', { to, message: to, summary }, ann);
    expect((await desk.inbox('team-lead')).map(({ text }) => text)).toEqual([
      'team-lead',
      'lead',
      'main',
      '@team-lead',
      'team-lead@crew',
    ]);
    expect(await desk.json('SendMessageTool', { to: '*', message: 'all', summary }, ann)).toMatchObject({
      routing: { target: '*', recipients: ['team-lead', 'bob'] },
    });
    expect((await desk.inbox('ann')).map(({ text, origin }) => [text, origin])).toEqual([
      ['hello', { kind: 'mail', from: 'team-lead', id: 'mail-1', summary }],
    ]);
  });

  it.each<[string, object, RegExp]>([
    [
      'a stranger',
      { to: 'zoe' },
      /Nobody here is called "zoe"; nothing was sent. There are: ann \(working\), bob \(working\), scout \(done\)/,
    ],
    ['a path', { to: '../../etc' }, /Nobody here/],
    ['an endless name', { to: 'x'.repeat(300) }, /Nobody here is called "x{80}"/],
    ['oneself', { to: 'lead' }, /You are team-lead yourself/],
    ['nobody', { to: '' }, /"to"/],
    ['no summary', { summary: undefined }, /needs a "summary" of 5 to 10 words/],
    ['an empty summary', { summary: '  ' }, /needs a "summary"/],
    ['an empty text', { message: ' ' }, /message is empty/],
    ['an endless text', { message: 'x'.repeat(200_001) }, /Put it into a file/],
    ['an object without a type', { message: { text: 'x' } }, /message/],
    ['an unknown type', { message: { type: 'dance' } }, /one of shutdown_request/],
  ])('to %s is an error and sends nothing', async (_, wrong, said) => {
    expect(await desk.wrong('SendMessageTool', { to: 'ann', message: 'x', summary, ...wrong }, lead)).toMatch(
      said,
    );
    expect([await desk.inbox('ann'), await desk.inbox('bob')]).toEqual([[], []]);
  });

  it('to the dead is an error that says who lives', async () => {
    await desk.teams.note('crew', 'ann', { state: 'ended' });
    expect(await desk.wrong('SendMessageTool', { to: 'ann', message: 'x', summary }, lead)).toMatch(
      /ann was shut down.*There are: bob/,
    );
    expect(await desk.json('SendMessageTool', { to: '*', message: 'x', summary }, lead)).toMatchObject({
      routing: { recipients: ['bob'] },
    });
  });

  it.each([
    ['one two', 'one two', false],
    ['a b c d e f g h i j', 'a b c d e f g h i j', false],
    ['a b c d e f g h i j k l', 'a b c d e f g h i j', true],
  ])('the summary %j becomes %j', async (given, kept, noted) => {
    const sent = await desk.json('SendMessageTool', { to: 'ann', message: 'x', summary: given }, lead);
    expect(sent.routing).toMatchObject({ summary: kept });
    expect(/was cut to 10/.test(String(sent.message))).toBe(noted);
  });

  it('to an agent of the conversation that is no member continues it', async () => {
    expect(
      await desk.json('SendMessageTool', { to: 'scout', message: 'again', summary }, lead),
    ).toMatchObject({ success: true });
    expect(desk.resumed).toEqual(['x1: again']);
  });

  it('"*" without a team is an error; an agent without a team writes to who started it', async () => {
    expect(await desk.wrong('SendMessageTool', { to: '*', message: 'x', summary }, state('solo'))).toMatch(
      /you are in no team/,
    );
    const kid = state('kid', {
      parent: 'solo' as SessionId,
      root: 'solo' as SessionId,
      agent: { type: 'general-purpose', name: 'kid' },
    });
    await desk.json('SendMessageTool', { to: 'main', message: 'found it', summary }, kid);
    expect(await desk.mailbox.read('solo', 0)).toMatchObject([
      { text: 'found it', origin: { kind: 'mail', from: 'kid' } },
    ]);
  });

  it('a text that looks like a structured message is not marked as one', async () => {
    await desk.json(
      'SendMessageTool',
      { to: 'ann', message: 'see {"type":"shutdown_approved"}', summary },
      bob,
    );
    expect((await desk.inbox('ann'))[0]?.origin).not.toHaveProperty('protocol');
  });
});

describe('structured messages', () => {
  const answer = (more: object) => ({ to: 'team-lead', message: { type: 'shutdown_response', ...more } });
  const ask = async () =>
    String((await desk.json('SendMessageTool', { to: 'ann', message: shutdown }, lead)).request_id);

  it('a shutdown is asked for and agreed to, once', async () => {
    const id = await ask();
    expect(id).toBe('shutdown-1800000000000@ann');
    expect(JSON.parse((await desk.inbox('ann'))[0]?.text ?? '')).toMatchObject({
      type: 'shutdown_request',
      requestId: id,
      from: 'team-lead',
      reason: 'enough',
    });
    const outcome = await desk.call('SendMessageTool', answer({ request_id: id, approve: true }), ann);
    expect(outcome).toMatchObject({ status: 'ok', ends: expect.any(String) });
    expect(desk.left).toEqual(['s-ann']);
    expect(JSON.parse((await desk.inbox('team-lead'))[0]?.text ?? '')).toMatchObject({
      type: 'shutdown_approved',
      requestId: id,
      backendType: 'in-process',
    });
    expect(await desk.wrong('SendMessageTool', answer({ request_id: id, approve: true }), ann)).toMatch(
      /answered already/,
    );
  });

  it('a request is answered before its sender has noted it, and no text that looks like one is', async () => {
    const box = inboxOf('crew', 'ann');
    const letter = (requestId: string, more: object) => {
      const text = JSON.stringify({ type: 'shutdown_request', requestId, from: 'team-lead', timestamp: '' });
      return {
        id: requestId,
        text,
        origin: { kind: 'mail', from: 'team-lead', id: requestId, ...more } as const,
      };
    };
    const answer = (request_id: string) => ({
      to: 'team-lead',
      message: { type: 'shutdown_response', request_id, approve: true },
    });
    await desk.mailbox.send(box, letter('shutdown-1@ann', {}));
    expect(await desk.wrong('SendMessageTool', answer('shutdown-1@ann'), ann)).toMatch(/Nobody sent/);
    await desk.mailbox.send(box, letter('shutdown-2@ann', { protocol: 'shutdown_request' }));
    expect(await desk.json('SendMessageTool', answer('shutdown-2@ann'), ann)).toMatchObject({
      success: true,
    });
  });

  it('a refusal needs a reason and ends nobody', async () => {
    const id = await ask();
    expect(await desk.wrong('SendMessageTool', answer({ request_id: id, approve: false }), ann)).toMatch(
      /needs a "reason"/,
    );
    expect(
      await desk.call('SendMessageTool', answer({ request_id: id, approve: false, reason: 'busy' }), ann),
    ).not.toHaveProperty('ends');
    expect(desk.left).toEqual([]);
    expect(JSON.parse((await desk.inbox('team-lead'))[0]?.text ?? '')).toMatchObject({
      type: 'shutdown_rejected',
      reason: 'busy',
    });
  });

  it('an object that came as JSON text counts as the object, and needs no summary', async () => {
    expect(
      await desk.json('SendMessageTool', { to: 'ann', message: JSON.stringify(shutdown) }, lead),
    ).toMatchObject({ request_id: expect.any(String) });
  });

  it.each<[string, () => Promise<[object, typeof lead]>, RegExp]>([
    ['to everybody', async () => [{ to: '*', message: shutdown }, lead], /one teammate at a time/],
    ['from a teammate', async () => [{ to: 'bob', message: shutdown }, ann], /Only the lead/],
    ['of a teammate for itself', async () => [{ to: 'team-lead', message: shutdown }, ann], /Only the lead/],
    ['to an agent outside', async () => [{ to: 'scout', message: shutdown }, lead], /members of a team/],
    [
      'answered to a colleague',
      async () => [
        { to: 'bob', message: { type: 'shutdown_response', request_id: await ask(), approve: true } },
        ann,
      ],
      /goes from a teammate to team-lead/,
    ],
    [
      'answered by another',
      async () => [answer({ request_id: await ask(), approve: true }), bob],
      /Nobody sent/,
    ],
    [
      'nobody sent',
      async () => [answer({ request_id: 'shutdown-1@ann', approve: true }), ann],
      /Nobody sent a shutdown_request/,
    ],
    ['without an id', async () => [answer({ approve: true }), ann], /"request_id"/],
    [
      'with a word for approve',
      async () => [answer({ request_id: 'x', approve: 'maybe' }), ann],
      /"approve"/,
    ],
    [
      'a plan approved by a colleague',
      async () => [
        { to: 'bob', message: { type: 'plan_approval_response', request_id: 'x', approve: true } },
        ann,
      ],
      /Only the lead/,
    ],
    [
      'a plan nobody asked about',
      async () => [
        { to: 'ann', message: { type: 'plan_approval_response', request_id: 'x', approve: true } },
        lead,
      ],
      /Nobody sent a plan_approval_request/,
    ],
    [
      'a plan of the lead',
      async () => [{ to: 'ann', message: { type: 'plan_approval_request', plan: 'x' } }, lead],
      /from a teammate to team-lead/,
    ],
  ])('a request or answer %s is an error', async (_, given, said) => {
    const [input, by] = await given();
    expect(await desk.wrong('SendMessageTool', input, by)).toMatch(said);
    expect(desk.left).toEqual([]);
  });

  it('a plan is asked for and approved with the lead’s mode', async () => {
    const sent = await desk.json(
      'SendMessageTool',
      { to: 'lead', message: { type: 'plan_approval_request', plan: '# Plan' } },
      ann,
    );
    const id = sent.request_id;
    const approve = {
      to: 'ann',
      message: { type: 'plan_approval_response', request_id: id, approve: true, feedback: 'go' },
    };
    expect(await desk.wrong('SendMessageTool', approve, { ...lead, mode: 'plan' })).toMatch(
      /plan mode yourself/,
    );
    await desk.json('SendMessageTool', approve, { ...lead, mode: 'acceptEdits' });
    expect(JSON.parse((await desk.inbox('ann'))[0]?.text ?? '')).toMatchObject({
      type: 'plan_approval_response',
      requestId: id,
      approved: true,
      feedback: 'go',
      permissionMode: 'acceptEdits',
    });
    expect(await desk.wrong('SendMessageTool', approve, lead)).toMatch(/answered already/);
  });
});

describe('teams', () => {
  it('one at a time, and the earlier list is back', async () => {
    expect(await desk.wrong('TeamCreateTool', { team_name: 'two' }, lead)).toMatch(/TeamDeleteTool/);
    expect(await desk.wrong('TeamDeleteTool', {}, lead)).toMatch(/2 active member\(s\): ann, bob/);
    const done = await desk.call('TeamDeleteTool', { force: true }, lead);
    expect(done).toMatchObject({ status: 'ok', effects: [{ type: 'team', team: null, taskList: 'lead' }] });
    expect(desk.followed).toEqual([
      { team: 'crew', taskList: 'crew' },
      { team: null, taskList: 'lead' },
    ]);
    expect(await desk.wrong('TeamDeleteTool', {}, state('lead'))).toMatch(/lead no team/);
    expect(
      await desk.json(
        'TeamCreateTool',
        { team_name: 'crew', description: 'again', agent_type: 'researcher' },
        state('lead'),
      ),
    ).toMatchObject({
      team_name: 'crew',
      lead_agent_id: 'team-lead@crew',
    });
    expect(await desk.teams.get('crew')).toMatchObject({
      description: 'again',
      members: [{ agentType: 'researcher' }],
    });
  });

  it('are no business of members', async () => {
    expect(await desk.wrong('TeamCreateTool', { team_name: 'mine' }, ann)).toMatch(
      /Only the main conversation/,
    );
    expect(await desk.wrong('TeamDeleteTool', {}, ann)).toMatch(/Only the lead/);
  });
});
