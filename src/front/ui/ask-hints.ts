import type { OpenAsk } from '../../contract/ask.ts';
import type { AskUi } from './ask-choices.ts';

/** The keys that an open question takes. */
export function hints(open: OpenAsk, ui: AskUi): string {
  if (ui.typing) return 'enter send · esc back to the choices';
  switch (open.question.kind) {
    case 'permission':
      return `↑↓ or 1-9 choose · enter confirm · tab add a comment · e ${ui.trace ? 'hide why' : 'explain'} · esc no`;
    case 'plan':
      return '↑↓ choose · enter confirm · pgdn scroll · ctrl+g edit · esc keep planning';
    case 'choice':
      return open.question.questions[ui.step]?.multiSelect
        ? '↑↓ move · space choose · enter on Done · esc leave'
        : '↑↓ or 1-9 choose · enter confirm · esc leave';
    case 'confirm':
      return '↑↓ choose · enter confirm · esc leave';
  }
}
