/** The trust question in plain words (security 2.5). */
import type { ScreenCommands } from '../contract/screen.ts';
import { visibleText } from '../lib/safe-text.ts';
import type { TrustAsk } from './trust-question.ts';

const listed = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n\n${title}\n${lines.map((line) => `  ${visibleText(line)}`).join('\n')}`;

const trustBody = ({ project, state, parts }: TrustAsk): string => {
  if (state.state === 'changed') {
    const why =
      state.record.path === project
        ? 'You trusted this folder, but what its own files can run has changed since.'
        : `You trusted ${visibleText(state.record.path)} around it, but files of this checkout can run what was not there.`;
    return `${project}\n\n${why}${listed('New:', state.added)}${listed('Gone:', state.removed)}`;
  }
  return `${project}\n\nFiles in this folder can run commands on your computer: settings with hooks, tool servers, scripts. Trust it only if you know where it comes from.${listed('What it would run or set:', parts)}`;
};

export const askTrust = async (commands: ScreenCommands, question: TrustAsk): Promise<boolean> => {
  const answer = await commands.confirm({
    title:
      question.state.state === 'changed' && question.state.record.path === question.project
        ? 'This folder has changed'
        : 'Do you trust this folder?',
    body: trustBody(question),
    options: [
      { value: 'yes', label: 'Yes, I trust it' },
      {
        value: 'no',
        label:
          question.state.state === 'changed'
            ? 'No, go on without what is new'
            : 'No, go on without its settings, hooks and servers',
      },
    ],
  });
  return answer === 'yes';
};
