import type { AgentInfo } from '../../contract/agent.ts';
import type { PickItem } from '../../contract/command.ts';
import type { ScreenCommands, TaskRow } from '../../contract/screen.ts';
import type { MemberLook } from '../../contract/team-look.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { ConversationPages } from './conversation-pages.ts';
import type { Host } from './host.ts';
import { short } from './item-lines.ts';
import { memberState, memberTasks } from './member-words.ts';
import { taskFacts } from './task-lines.ts';

type Work = { readonly agent: Pick<AgentInfo, 'id' | 'name' | 'label'> } | { readonly task: TaskRow };

/** What goes on, to choose from (Down on an empty prompt): agents, and tasks where they are on the screen. */
export const workList = (host: Host, commands: ScreenCommands, pages: ConversationPages) => {
  const { store, ports } = host;

  /** The list on the screen follows in a moment; until then this says so. */
  const ended = new Set<string>();

  const items = (): readonly PickItem<Work>[] => {
    const { tasks, tasksShown, team } = store.get();
    const members = (team?.members ?? []).filter(({ state }) => state !== 'lead' && state !== 'gone');
    const others = (ports.agents?.list() ?? []).filter(
      ({ id }) => !members.some(({ session }) => session === id),
    );
    return [
      ...members.map(memberItem),
      ...others.map((agent) => ({
        value: { agent },
        label: agent.name ? `${agent.name} · ${agent.label}` : agent.label,
        hint: agent.status,
      })),
      ...(tasksShown ? tasks.tasks : []).map((task) => ({
        value: { task },
        label: `${task.id} ${task.subject}`,
        hint: ended.has(task.id)
          ? 'cancelled'
          : [task.status.replace('_', ' '), taskFacts(task, host.now())].filter(Boolean).join(' · '),
      })),
    ];
  };

  const stop = async (work: Work): Promise<readonly PickItem<Work>[]> => {
    if ('agent' in work) host.hint(await ports.agents?.stop(work.agent.id), 4000);
    else {
      const { text, failed } = (await ports.tasks?.cancel(work.task.id)) ?? { text: '' };
      if (!failed) ended.add(work.task.id);
      host.hint(safeLine(text, 200), 4000);
    }
    return items();
  };

  return async (): Promise<void> => {
    ended.clear();
    const all = items();
    if (all.length === 0) return;
    const someAgent = all.some(({ value }) => 'agent' in value);
    const someTask = all.some(({ value }) => 'task' in value);
    const chosen = await commands.pick({
      title: [...(someAgent ? ['Agents'] : []), ...(someTask ? ['Tasks'] : [])].join(' and '),
      items: all,
      ...(someTask
        ? {
            preview: async (work: Work) =>
              'task' in work ? ((await ports.tasks?.show(work.task.id)) ?? '') : '',
          }
        : {}),
      keys: [
        {
          key: 'ctrl+x',
          label: [...(someAgent ? ['stop'] : []), ...(someTask ? ['cancel'] : [])].join(' or '),
          act: stop,
        },
      ],
    });
    if (chosen === undefined) return;
    if ('agent' in chosen) return await pages.agent(chosen.agent);
    const { id, subject } = chosen.task;
    await commands.panel(safeLine(`${id} ${subject}`, 200), (await ports.tasks?.show(id)) ?? '');
  };
};

const memberItem = (member: MemberLook): PickItem<Work> => {
  const task = memberTasks(member);
  return {
    value: { agent: { id: member.session, name: member.name, label: member.type ?? member.name } },
    label: task === '' ? member.name : `${member.name} · ${task}`,
    hint: [
      memberState(member),
      ...(member.unread > 0 ? [`${member.unread} unread`] : []),
      ...(member.tokens ? [`${short(member.tokens)} tokens`] : []),
    ].join(' · '),
  };
};
