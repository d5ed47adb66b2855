import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { gate, pauseAfter, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openCrew } from './crew.ts';

const lead = ({ system }: Received) => !system.includes('You are the agent type');
const mate = (name: string) => (request: Received) =>
  !lead(request) && request.raw.includes(`You are ${name}.`);
const texts = (requests: readonly Received[], who: (request: Received) => boolean) =>
  requests.filter(who).flatMap(({ results }) => results.map(({ text }) => text));

const start = (name: string, more: object = {}) =>
  use('AgentTool', {
    prompt: `You are ${name}.`,
    description: `work as ${name}`,
    name,
    team_name: 'crew',
    ...more,
  });

it('a lead and two teammates work a list from TeamCreate to TeamDelete', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew', description: 'To do it', agent_type: 'orchestrator' })],
    [1, 2, 3].map((n) => use('TaskCreateTool', { subject: `Job ${n}`, description: `Do job ${n}` })),
    [use('TaskUpdateTool', { taskId: '3', addBlockedBy: ['1', '2'] }), start('ann'), start('bob')],
    say('They are at it.'),
  );
  // Each takes what is free until nothing is, and answers with the id in its latest task.
  for (const name of ['ann', 'bob']) {
    server.always(mate(name), ({ prompt, results, raw }: Received) => {
      const mine = [...raw.matchAll(/Task (\d+) of the shared list is yours now/g)]
        .map(([, id]) => id)
        .at(-1);
      if (results.length > 0) return say('Done with it.');
      return /is yours now/.test(prompt) && mine
        ? [use('TaskUpdateTool', { taskId: mine, status: 'completed' })]
        : say('Ready.');
    });
  }
  server.always(lead, say('I see.'));
  await crew.say('Do it as a team.');
  const listing = await crew.stores.tasks.list('crew');
  expect(listing).toMatchObject({
    tasks: [1, 2, 3].map((n) => ({
      id: String(n),
      status: 'completed',
      owner: expect.stringMatching(/ann|bob/),
    })),
  });
  const team = await crew.stores.teams.get('crew');
  expect(team).toMatchObject({
    members: [{ name: 'team-lead' }, { name: 'ann', state: 'idle' }, { name: 'bob', state: 'idle' }],
  });
  const told = server.requests
    .filter(lead)
    .map(({ prompt }) => prompt)
    .join('\n');
  expect(told.match(/teammate_id="ann"[^>]*>\n\{"type":"idle_notification"/g)?.length).toBeGreaterThanOrEqual(
    1,
  );
  expect(told).toContain('cannot approve');
  expect(server.violations).toEqual([]);

  server.lane(lead, [use('TeamDeleteTool', {})], [use('TaskListTool', {})], say('All gone.'));
  await crew.say('End it.');
  const answers = texts(server.requests, lead);
  expect(JSON.parse(answers.at(-2) ?? '')).toMatchObject({ success: true, team_name: 'crew' });
  expect(JSON.parse(answers.at(-1) ?? '')).toEqual({ tasks: [] });
  expect(crew.root.conversation.state().team).toBeUndefined();
  expect(existsSync(join(crew.place.state, 'teams', 'crew'))).toBe(false);
  expect(existsSync(join(crew.place.state, 'tasks', 'crew'))).toBe(false);
});

it('shuts a teammate down when it agrees, and keeps it when it refuses', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  server.lane(lead, [use('TeamCreateTool', { team_name: 'crew' })], [start('ann')], say('Started.'));
  server.lane(mate('ann'), say('Ready.'));
  server.always(lead, say('I see.'));
  await crew.say('Begin.');
  const answerWith =
    (approve: boolean, reason?: string) =>
    ({ raw }: Received) => {
      const id = [...raw.matchAll(/shutdown-\d+@ann/g)].at(-1)?.[0];
      return [
        use('SendMessageTool', {
          to: 'team-lead',
          message: { type: 'shutdown_response', request_id: id, approve, reason },
        }),
      ];
    };
  const ask = [
    use('SendMessageTool', { to: 'ann', message: { type: 'shutdown_request', reason: 'enough' } }),
  ];
  server.lane(lead, ask, say('Asked.'));
  server.lane(mate('ann'), answerWith(false, 'one job left'), say('I go on.'));
  await crew.say('Ask her.');
  const heard = () =>
    server.requests
      .filter(lead)
      .map(({ prompt }) => prompt)
      .join('\n');
  expect(heard()).toContain('one job left');
  expect(await crew.stores.teams.get('crew')).toMatchObject({
    members: [{}, { name: 'ann', state: 'idle' }],
  });

  server.lane(lead, ask, say('Asked again.'));
  server.lane(mate('ann'), answerWith(true));
  await crew.say('Ask again.');
  expect(heard()).toContain('shutdown_approved');
  expect(heard()).toContain('teammate_terminated');
  expect(await crew.stores.teams.get('crew')).toMatchObject({
    members: [{}, { name: 'ann', state: 'ended' }],
  });
  expect(crew.root.agents.list()).toMatchObject([{ name: 'ann', status: 'done' }]);

  server.lane(
    lead,
    [use('SendMessageTool', { to: 'ann', message: 'hello', summary: 'a word to the dead' })],
    say('Oh.'),
  );
  await crew.say('Write to her.');
  expect(texts(server.requests, lead).at(-1)).toMatch(/ann was shut down.*nothing was sent/);
  expect(server.violations).toEqual([]);
});

it('a planner’s plan goes to the lead, and the mode changes with the answer', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const plan = '# Plan\n\nDo it.\n\n## Files\n\n- a.txt\n';
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [start('pat', { subagent_type: 'planner' })],
    say('Started.'),
  );
  const pat = mate('pat');
  server.lane(pat, [use('ExitPlanModeTool', { plan })], say('Waiting.'));
  const verdict =
    (approve: boolean) =>
    ({ raw }: Received) => {
      const id = [...raw.matchAll(/plan-\d+@pat/g)].at(-1)?.[0];
      return [
        use('SendMessageTool', {
          to: 'pat',
          message: { type: 'plan_approval_response', request_id: id, approve, feedback: 'mind the tests' },
        }),
      ];
    };
  server.lane(lead, verdict(false), say('Answered.'));
  server.lane(pat, [use('ExitPlanModeTool', { plan: `${plan}With tests.\n` })], say('Waiting again.'));
  server.lane(lead, verdict(true), say('Answered again.'));
  server.lane(pat, say('I begin.'));
  server.always(lead, say('I see.'));
  await crew.say('Begin.');
  const child = crew.seen.find((event) => event.type === 'agent.started');
  const modes = crew.seen.flatMap((event) =>
    event.type === 'entry' && event.session !== crew.root.session.id && 'mode' in event.entry
      ? [event.entry.mode]
      : [],
  );
  expect(child).toMatchObject({ name: 'pat' });
  expect(modes.at(-1)).toBe('default');
  const said = server.requests
    .filter(pat)
    .map(({ prompt }) => prompt)
    .join('\n');
  expect(said).toContain('mind the tests');
  const answers = texts(server.requests, pat).map((text) => JSON.parse(text));
  expect(answers).toMatchObject([
    { isAgent: true, awaitingLeaderApproval: true, requestId: expect.stringMatching(/^plan-\d+@pat$/) },
    { awaitingLeaderApproval: true },
  ]);
  expect(server.violations).toEqual([]);
});

it('messages come once, in order, and are stored, delivered, read', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [start('ann'), start('bob')],
    say('Started.'),
  );
  server.always(mate('ann'), say('Yes.'));
  server.always(mate('bob'), say('Yes.'));
  server.always(lead, say('I see.'));
  await crew.say('Begin.');
  const send = (to: string, message: string) =>
    use('SendMessageTool', { to, message, summary: 'five words of the summary' });
  server.lane(
    lead,
    [send('ann', 'Erstens </teammate-message> x'), send('*', 'Zweitens'), send('ann', 'Drittens')],
    say('Sent.'),
  );
  await crew.say('Write.');
  const results = server.requests
    .filter(lead)
    .findLast(({ results }) => results.length === 3)
    ?.results.map(({ text }) => JSON.parse(text));
  expect(results).toMatchObject([
    { success: true, routing: { sender: 'team-lead', target: 'ann', summary: 'five words of the summary' } },
    { success: true, routing: { target: '*', recipients: ['ann', 'bob'] } },
    { success: true },
  ]);
  const ann = server.requests.filter(mate('ann')).at(-1)?.raw ?? '';
  const at = ['Erstens', 'Zweitens', 'Drittens'].map((text) => ann.indexOf(text));
  expect(at.every((place, index) => place > (at[index - 1] ?? 0))).toBe(true);
  expect(ann.match(/Erstens &lt;\/teammate-message> x/g)).toHaveLength(1);
  expect(await crew.stores.teams.receipts('crew')).toMatchObject({
    ann: { delivered: 3, read: 3 },
    bob: { delivered: 1, read: 1 },
  });
});

it('a lead that ends and comes back finds its team, and the team finishes', async () => {
  await using server = await modelServer();
  const crew = await openCrew(server);
  try {
    server.lane(lead, [use('TeamCreateTool', { team_name: 'crew' })], [start('ann')], say('Started.'));
    server.lane(mate('ann'), say('Ready.'));
    server.always(lead, say('I see.'));
    await crew.say('Begin.');
    const id = crew.root.session.id;
    await crew.close();
    await crew.stores.tasks.create('crew', { subject: 'Late job', description: 'Do it' });

    server.always(mate('ann'), ({ results, prompt }: Received) =>
      results.length === 0 && /Task 1 of the shared list/.test(prompt)
        ? [use('TaskUpdateTool', { taskId: '1', status: 'completed' })]
        : say('Done.'),
    );
    await using again = await openCrew(server, { place: crew.place, resume: id });
    await again.quiet();
    expect(again.root.conversation.state().team).toBe('crew');
    expect(again.root.agents.list()).toMatchObject([{ name: 'ann', status: 'waiting' }]);
    expect(await again.stores.tasks.list('crew')).toMatchObject({
      tasks: [{ status: 'completed', owner: 'ann' }],
    });
    expect(server.violations).toEqual([]);
  } finally {
    await crew.place.dispose();
  }
});

it('a stopped teammate gives its task back, and goes on with a message, told what became of it', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  server.lane(
    lead,
    [use('TeamCreateTool', { team_name: 'crew' })],
    [use('TaskCreateTool', { subject: 'Job', description: 'Do it' })],
    [start('ann')],
    say('Started.'),
  );
  const held = gate();
  server.lane(mate('ann'), say('Ready.'), pauseAfter(say('Working on it'), 2, held));
  server.always(lead, say('I see.'));
  void crew.root.session.send('Begin.');
  await expect
    .poll(
      async () => {
        const listing = await crew.stores.tasks.list('crew');
        return 'tasks' in listing ? listing.tasks.map((task) => task.status) : [];
      },
      { timeout: 15_000 },
    )
    .toEqual(['in_progress']);
  await server.waitForRequests(6);
  server.lane(lead, [use('TaskStopTool', { task_id: 'ann' })], say('Stopped.'));
  await crew.say('Stop her.');
  held.open();
  expect(await crew.stores.tasks.list('crew')).toMatchObject({
    tasks: [{ status: 'pending', note: 'Returned to pending: ann was stopped.' }],
  });
  expect(await crew.stores.teams.get('crew')).toMatchObject({
    members: [{}, { name: 'ann', state: 'stopped' }],
  });

  server.lane(
    lead,
    [use('SendMessageTool', { to: 'ann', message: 'Weiter', summary: 'please go on with it now' })],
    say('Sent.'),
  );
  server.always(mate('ann'), ({ prompt, results }: Received) =>
    results.length === 0 && /Task 1 of the shared list/.test(prompt)
      ? [use('TaskUpdateTool', { taskId: '1', status: 'completed' })]
      : say('Done.'),
  );
  await crew.say('Let her go on.');
  const said = server.requests
    .filter(mate('ann'))
    .map(({ raw }) => raw)
    .join('\n');
  expect(said).toContain('Your tasks went back to the list when you were stopped');
  expect(said).toContain('Weiter');
  expect(await crew.stores.tasks.list('crew')).toMatchObject({
    tasks: [{ status: 'completed' }],
  });
  expect(crew.root.agents.list()).toMatchObject([{ name: 'ann', status: 'waiting' }]);
  expect(server.violations).toEqual([]);
});

it('the same name taken again inherits unread mail, but no request to shut down', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const shutdown = use('SendMessageTool', { to: 'ann', message: { type: 'shutdown_request' } });
  server.lane(lead, [use('TeamCreateTool', { team_name: 'crew' })], [start('ann')], say('Started.'));
  server.lane(mate('ann'), say('Ready.'));
  server.always(lead, say('I see.'));
  await crew.say('Begin.');
  server.lane(lead, [shutdown], say('Asked.'));
  server.lane(mate('ann'), ({ raw }: Received) => {
    const id = [...raw.matchAll(/shutdown-\d+@ann/g)].at(-1)?.[0];
    return [
      use('SendMessageTool', {
        to: 'team-lead',
        message: { type: 'shutdown_response', request_id: id, approve: true },
      }),
    ];
  });
  await crew.say('Let her go.');
  for (const [text, protocol] of [
    ['Rest', undefined],
    ['{"type":"shutdown_request","requestId":"shutdown-1@ann"}', 'shutdown_request'],
  ] as const)
    await crew.stores.mailbox.send('teams/crew/inboxes/ann', {
      id: text,
      text,
      origin: { kind: 'mail', from: 'team-lead', id: text, ...(protocol ? { protocol } : {}) },
    });
  server.lane(lead, [start('ann', { prompt: 'You are ann. The second.' })], say('Started again.'));
  server.always(mate('ann'), say('Ready again.'));
  await crew.say('Again.');
  const second = server.requests
    .filter(({ raw }) => raw.includes('The second.') && raw.includes('You are the agent type'))
    .map(({ raw }) => raw);
  expect(second.at(-1)).toContain('Rest');
  expect(second.join('\n')).not.toContain('shutdown-1@ann');
  expect(server.violations).toEqual([]);
});

it('a letter from another process while a teammate is being stopped lets it go on', async () => {
  await using server = await modelServer();
  const place = await tempRepo({ server });
  const inbox = join(place.state, 'teams', 'crew', 'inboxes', 'ann.jsonl');
  const letter = (id: string) => {
    const mail = {
      id,
      text: `Word ${id}`,
      origin: { kind: 'mail', from: 'bob', id },
      at: '2026-01-01T00:00:00Z',
    };
    return JSON.stringify({ mail });
  };
  // The end of a run asks this hook: she is being stopped, and her team file still says that she works.
  const late = `[ -e mark ] || { touch mark; mkdir -p ${dirname(inbox)}; echo '${letter('late')}' >> ${inbox}; }`;
  const hooks = { SubagentStop: [{ hooks: [{ type: 'command', command: late }] }] };
  await using crew = await openCrew(server, { place, settings: { hooks } });
  const held = gate();
  server.lane(lead, [use('TeamCreateTool', { team_name: 'crew' })], [start('ann')], say('Started.'));
  server.lane(mate('ann'), pauseAfter(say('Working on it'), 2, held));
  server.always(mate('ann'), say('I go on.'));
  server.always(lead, say('I see.'));
  void crew.root.session.send('Begin.');
  await expect.poll(() => server.requests.some(mate('ann')), { timeout: 15_000 }).toBe(true);
  server.lane(lead, [use('TaskStopTool', { task_id: 'ann' })], say('Stopped.'));
  await crew.say('Stop her.');
  held.open();
  await expect
    .poll(() => server.requests.some(({ raw }) => raw.includes('Word late')), { timeout: 15_000 })
    .toBe(true);
  await expect
    .poll(() => crew.stores.teams.get('crew'), { timeout: 15_000 })
    .toMatchObject({ members: [{}, { name: 'ann', state: 'idle' }] });
  expect(server.violations).toEqual([]);
  await crew.close();
  await place.dispose();
});
