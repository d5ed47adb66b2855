/** Tasks as they count, and what stands between them. */
import { isOver, type Task, type TaskRefusal } from '../contract/task.ts';
import { isTaskId } from './task-record.ts';
import { isDamaged, type Page, type Shelf } from './task-shelf.ts';

export type World = Pick<Shelf, 'stamp' | 'isAlive'> & { readonly now: string };

/** The task as it counts: with a dead owner it is pending again, whatever its file still says. */
export const effective = (task: Task, world: Pick<World, 'isAlive'>): Task =>
  task.status === 'in_progress' && task.lease && !world.isAlive(task.lease)
    ? givenBack(task, `Returned to pending: its owner ${task.lease.owner} ended while it was in progress.`)
    : task;

export const givenBack = (task: Task, note: string): Task => ({
  ...task,
  status: 'pending',
  owner: undefined,
  lease: undefined,
  startedAt: undefined,
  note,
});

/** Why there is no such task. */
export const missing = (id: string, highest: number): TaskRefusal =>
  isTaskId(id) && Number(id) <= highest
    ? { refused: `Task ${id} was deleted; its id is not used again.`, why: 'deleted' }
    : {
        refused: `There is no task "${id.slice(0, 80)}" in this list. TaskListTool shows the tasks there are.`,
        why: 'unknown',
      };

export const find = (page: Page, id: string, world: World): Task | TaskRefusal => {
  const found = isTaskId(id) ? page.get(id) : undefined;
  if (found === undefined) return missing(id, page.highest());
  return isDamaged(found) ? { refused: found.damaged, why: 'damaged' } : effective(found, world);
};

export const isRefusal = (answer: object): answer is TaskRefusal => 'refused' in answer;

/** The first blocker that is not over yet; one whose file cannot be read still blocks. */
export const blocker = (page: Page, task: Task, world: World): TaskRefusal | undefined => {
  for (const id of task.blockedBy) {
    const found = page.get(id);
    if (found === undefined) continue;
    const state = isDamaged(found) ? 'unreadable' : effective(found, world).status;
    if (state !== 'unreadable' && isOver(state)) continue;
    const subject = isDamaged(found) ? '' : ` (${found.subject})`;
    return {
      refused: `Task ${task.id} is blocked by task ${id}${subject}, which is ${state.replace('_', ' ')}; nothing was changed.`,
      why: 'blocked',
      by: id,
    };
  }
  return undefined;
};

/** Whether following `blocks` from one task leads to another. */
const leadsTo = (page: Page, from: string, to: string): boolean => {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    const found = page.get(id);
    if (found && !isDamaged(found)) open.push(...found.blocks);
  }
  return false;
};

/** Draws "a blocks b" on both ends. Answers whether it is new. */
export const draw = (page: Page, self: string, a: string, b: string, world: World): boolean | TaskRefusal => {
  const first = find(page, a, world);
  if (isRefusal(first)) return first;
  const second = find(page, b, world);
  if (isRefusal(second)) return second;
  if (leadsTo(page, b, a))
    return {
      refused:
        a === b
          ? `Task ${a} cannot block itself; nothing was changed.`
          : `Task ${b} already leads to task ${a}, so ${a} cannot block ${b}: they would wait for each other. Nothing was changed.`,
      why: 'cycle',
    };
  const fresh = !first.blocks.includes(b) || !second.blockedBy.includes(a);
  if (!fresh) return false;
  const grown = (task: Task) => (task.id === self ? task.version : task.version + 1);
  page.put({ ...first, blocks: [...new Set([...first.blocks, b])], version: grown(first) });
  page.put({ ...second, blockedBy: [...new Set([...second.blockedBy, a])], version: grown(second) });
  return true;
};
