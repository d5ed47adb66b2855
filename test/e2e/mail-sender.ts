/** A teammate that only writes: numbered messages to the lead, some to everybody, through SendMessageTool. */
import { randomUUID } from 'node:crypto';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import { noUsage } from '../../src/contract/message.ts';
import type { SessionState } from '../../src/contract/state.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';

const [home = '', project = '', name = '', direct = '0', broadcasts = '0'] = process.argv.slice(2);
const { teams, mailbox } = await openStores({ home, project, version: '0', scratch: home });
const session = randomUUID() as SessionId;
const must = <T extends object>(answer: T): T => {
  if ('refused' in answer || 'failed' in answer) throw new Error(JSON.stringify(answer));
  return answer;
};
must(await teams.join('crew', { name, session, cwd: project, backendType: 'process', state: 'working' }));
const state: SessionState = {
  id: session,
  root: session,
  parent: 'lead' as SessionId,
  agent: { type: 'general-purpose', name },
  team: 'crew',
  taskList: 'crew',
  model: '',
  thinkingTokens: 0,
  cwd: project,
  project,
  checkout: project,
  directories: [],
  mode: 'default',
  mailRead: {},
  seen: {},
  messages: [],
  turns: 0,
  usage: noUsage,
  usageByModel: {},
  contextTokens: 0,
  onceDone: [],
  grants: [],
};
const tool = sendMessageTool({
  teams,
  mailbox,
  life: {
    leave: async () => undefined,
    wake: async () => 'it does not run',
    dissolve: async () => undefined,
    follow: async () => undefined,
  },
  agents: () => ({
    list: () => [],
    spawn: async () => ({ refused: '' }),
    stop: async () => ({ refused: '' }),
    resume: async () => ({ refused: '' }),
    wait: async () => undefined,
  }),
  newId: randomUUID,
  now: () => new Date(),
});
const total = Number(direct) + Number(broadcasts);
const every = Number(broadcasts) === 0 ? Number.POSITIVE_INFINITY : Math.floor(total / Number(broadcasts));
for (let n = 1; n <= total; n += 1) {
  const to = n % every === 0 ? '*' : 'team-lead';
  const call = tool.prepare({ to, message: `${name} ${n}`, summary: 'a number in a long row' }, state);
  if ('invalid' in call) throw new Error(call.invalid);
  const sent = await call.run({
    session: state,
    call: 'c' as CallId,
    signal: new AbortController().signal,
    ask: async () => ({ kind: 'none', reason: '', source: 'headless' }),
    progress: () => undefined,
  });
  if (sent.status !== 'ok') throw new Error(sent.text);
}
must(await teams.note('crew', name, { state: 'stopped' }));
