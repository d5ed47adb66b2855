import type { OpenAsk } from '../../contract/ask.ts';
import type { AskUi } from './ask-choices.ts';

/** The keys that an open question takes. */
export function hints(open: OpenAsk, ui: AskUi): string {
  const question = open.question.kind === 'choice' ? open.question.questions[ui.step] : undefined;
  if (ui.typing) return `enter ${question?.multiSelect ? 'keep' : 'send'} · esc back to the choices`;
  const back = ui.step > 0 ? ' · ← back' : '';
  switch (open.question.kind) {
    case 'permission':
      return `↑↓ or 1-9 choose · enter confirm · tab add a comment · e ${ui.trace ? 'hide why' : 'explain'} · esc no`;
    case 'plan':
      return '↑↓ choose · enter confirm · pgdn scroll · ctrl+g edit · esc keep planning';
    case 'choice':
      return question?.multiSelect
        ? `↑↓ move · space choose · enter on the last row${back} · esc leave`
        : `↑↓ or 1-9 choose · enter confirm${back} · esc leave`;
    case 'confirm':
      return '↑↓ choose · enter confirm · esc leave';
  }
}
