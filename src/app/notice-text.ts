import type { SessionId } from '../contract/ids.ts';

/** How a finished background agent or command is told to the model (conventions 4): no human spoke. */
export const noticeText = (notice: {
  readonly id: SessionId | string;
  readonly label: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: string;
  readonly call?: string;
  readonly text: string;
}): string =>
  [
    'No human said this; it is a notice about background work.',
    '<task-notification>',
    `<task-id>${notice.id}</task-id>`,
    ...(notice.call ? [`<tool-use-id>${notice.call}</tool-use-id>`] : []),
    `<output-file>${notice.output}</output-file>`,
    `<status>${notice.status}</status>`,
    `<summary>${notice.label}: ${notice.status}</summary>`,
    '</task-notification>',
    notice.text,
  ].join('\n');
