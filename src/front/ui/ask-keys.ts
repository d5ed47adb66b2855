import type { Answer, OpenAsk } from '../../contract/ask.ts';
import { type AskUi, type Choice, choicesOf, destinations, refusal, wantsWords } from './ask-choices.ts';
import { chord, type Press } from './keys.ts';

export type AskStep =
  | { readonly ui: AskUi }
  | { readonly answer: Answer }
  | { readonly edit: string }
  | { readonly pass: true };

/** One key while a question is open. Pure. */
export function askKey(open: OpenAsk, ui: AskUi, one: Press): AskStep {
  const choices = choicesOf(open, ui);
  const choice = choices[ui.index];
  const name = chord(one);
  if (ui.typing) return typingKey(open, ui, one, choice);
  if (startsTyping(one, choice))
    return { ui: { ...ui, typing: true, text: (ui.text + one.text).trimStart() } };
  const moved = (step: number): AskStep => ({
    ui: { ...ui, index: (ui.index + step + choices.length) % choices.length },
  });
  if (name === 'up' || name === 'k' || name === 'ctrl+p') return moved(-1);
  if (name === 'down' || name === 'j' || name === 'ctrl+n') return moved(1);
  if (name === 'pagedown' || name === 'ctrl+d') return { ui: { ...ui, scroll: ui.scroll + 10 } };
  if (name === 'pageup' || name === 'ctrl+u') return { ui: { ...ui, scroll: Math.max(0, ui.scroll - 10) } };
  if (name === 'escape' || name === 'ctrl+c') return { answer: refusal(open) };
  if (name === 'enter' && choice) return take(open, ui, choice);
  if (name === ' ' && open.question.kind === 'choice' && choice) return toggled(open, ui, choice);
  if (/^[1-9]$/.test(name)) {
    const picked = choices[Number(name) - 1];
    if (!picked) return { ui };
    const at = { ...ui, index: Number(name) - 1 };
    return picked.value === 'no' || picked.value === 'plan-keep' || picked.value === 'own'
      ? { ui: { ...at, typing: true } }
      : take(open, at, picked);
  }
  if (open.question.kind === 'permission') return permissionKey(open, ui, one, choice);
  if (open.question.kind === 'plan' && name === 'ctrl+g') return { edit: ui.plan ?? open.question.plan };
  if (name === 'tab' && choice?.takesText) return { ui: { ...ui, typing: true } };
  if (name === 'tab' && open.question.kind === 'choice') return moved(1);
  if (name === 'left' && ui.step > 0) {
    const texts = Array.from({ length: ui.step + 1 }, (_, index) => ui.texts[index] ?? '');
    return { ui: at({ ...ui, texts: texts.with(ui.step, ui.text) }, ui.step - 1) };
  }
  return passes(name, ui);
}

/** Another of several questions, with what was answered to it. */
const at = (ui: AskUi, step: number): AskUi => ({
  ...ui,
  step,
  index: 0,
  typing: false,
  text: ui.texts[step] ?? '',
});

const startsTyping = (one: Press, choice: Choice | undefined): boolean =>
  one.name === 'text' && wantsWords(choice);

/** Keys that mean something to the screen behind the question. */
const passes = (name: string, ui: AskUi): AskStep =>
  ['ctrl+o', 'ctrl+z', 'ctrl+l', 'ctrl+t'].includes(name) ? { pass: true } : { ui };

function permissionKey(open: OpenAsk, ui: AskUi, one: Press, choice: Choice | undefined): AskStep {
  const name = chord(one);
  const choices = choicesOf(open, ui);
  const find = (value: string): Choice | undefined => choices.find((candidate) => candidate.value === value);
  if (choice?.value === 'always' && (name === 'left' || name === 'right')) {
    const at = destinations.findIndex((one) => one.value === ui.destination);
    const next = destinations[(at + (name === 'right' ? 1 : destinations.length - 1)) % destinations.length];
    return { ui: { ...ui, destination: next?.value ?? ui.destination } };
  }
  if (name === 'shift+tab')
    return find('mode') ? take(open, ui, { value: 'mode', label: '' }) : { pass: true };
  if (name === 'tab' && choice?.takesText) return { ui: { ...ui, typing: true } };
  if (name === 'y') return take(open, ui, { value: 'yes', label: '' });
  if (name === 'n') return { ui: { ...ui, index: choices.length - 1, typing: true } };
  if (name === 'a' && find('always'))
    return { ui: { ...ui, index: choices.findIndex((candidate) => candidate.value === 'always') } };
  if (name === 'e') return { ui: { ...ui, trace: !ui.trace } };
  return passes(name, ui);
}

function typingKey(open: OpenAsk, ui: AskUi, one: Press, choice: Choice | undefined): AskStep {
  const name = chord(one);
  if (one.name === 'text') return { ui: { ...ui, text: ui.text + one.text } };
  if (name === 'backspace')
    return {
      ui: ui.text === '' ? { ...ui, typing: false } : { ...ui, text: [...ui.text].slice(0, -1).join('') },
    };
  if (name === 'ctrl+u') return { ui: { ...ui, text: '' } };
  if (name === 'ctrl+w' || name === 'alt+backspace')
    return { ui: { ...ui, text: ui.text.replace(/\S+\s*$/, '') } };
  if (name === 'ctrl+j' || name === 'alt+enter' || name === 'shift+enter')
    return { ui: { ...ui, text: `${ui.text}\n` } };
  if (name === 'escape' || name === 'tab') return { ui: { ...ui, typing: false } };
  if (name === 'ctrl+c') return { answer: refusal(open) };
  if (name === 'up' || name === 'down')
    return { ui: { ...ui, typing: false, index: Math.max(0, ui.index + (name === 'up' ? -1 : 0)) } };
  if (name === 'enter' && choice) return take(open, { ...ui, typing: false }, choice);
  return { ui };
}

function take(open: OpenAsk, ui: AskUi, choice: Choice): AskStep {
  const question = open.question;
  const comment = ui.text.trim() === '' ? {} : { comment: ui.text.trim() };
  if (question.kind === 'confirm') return { answer: { kind: 'confirm', value: choice.value } };
  if (question.kind === 'choice') return takeChoice(open, ui, choice);
  if (question.kind === 'plan') {
    if (choice.value === 'plan-keep')
      return ui.text.trim() === '' && !ui.typing && ui.index === 2
        ? { ui: { ...ui, typing: true } }
        : {
            answer: {
              kind: 'plan',
              decision: 'keep',
              ...(ui.text.trim() ? { feedback: ui.text.trim() } : {}),
            },
          };
    return {
      answer: {
        kind: 'plan',
        decision: choice.value === 'plan-edits' ? 'acceptEdits' : 'default',
        ...(ui.plan === undefined ? {} : { plan: ui.plan }),
      },
    };
  }
  if (choice.value === 'yes') return { answer: { kind: 'permission', behavior: 'allow', ...comment } };
  if (choice.value === 'mode')
    return { answer: { kind: 'permission', behavior: 'allow', mode: 'acceptEdits' } };
  if (choice.value === 'always')
    return {
      answer: {
        kind: 'permission',
        behavior: 'allow',
        remember: { rules: question.why.suggestions, to: ui.destination },
      },
    };
  return { answer: { kind: 'permission', behavior: 'deny', ...comment } };
}

function takeChoice(open: OpenAsk, ui: AskUi, choice: Choice): AskStep {
  const question = open.question;
  if (question.kind !== 'choice') return { ui };
  const now = question.questions[ui.step];
  if (!now) return { ui };
  const empties = now.mayBeEmpty === true && (now.multiSelect || now.options.length === 0);
  if (choice.value === 'own' && ui.text.trim() === '' && !empties) return { ui: { ...ui, typing: true } };
  if (now.multiSelect && choice.value !== 'next')
    return choice.value === 'own' ? { ui: { ...ui, index: ui.index + 1 } } : toggled(open, ui, choice);
  const picked = now.multiSelect ? (ui.chosen[ui.step] ?? []) : choice.value === 'own' ? [] : [choice.label];
  const text = choice.value === 'own' || now.multiSelect ? ui.text.trim() : '';
  if (picked.length === 0 && text === '' && !empties) return { ui };
  const chosen = question.questions.map((_, index) =>
    index === ui.step ? picked : (ui.chosen[index] ?? []),
  );
  const texts = question.questions.map((_, index) => (index === ui.step ? text : (ui.texts[index] ?? '')));
  if (ui.step + 1 < question.questions.length) return { ui: at({ ...ui, chosen, texts }, ui.step + 1) };
  const answers = question.questions.map((one, index) => ({
    question: one.question,
    chosen: chosen[index] ?? [],
    ...(texts[index] ? { text: texts[index] } : {}),
  }));
  return { answer: { kind: 'choice', answers } };
}

function toggled(open: OpenAsk, ui: AskUi, choice: Choice): AskStep {
  const question = open.question;
  if (
    question.kind !== 'choice' ||
    !question.questions[ui.step]?.multiSelect ||
    !choice.value.startsWith('option:')
  )
    return { ui };
  const now = ui.chosen[ui.step] ?? [];
  const next = now.includes(choice.label)
    ? now.filter((label) => label !== choice.label)
    : [...now, choice.label];
  return {
    ui: {
      ...ui,
      chosen: question.questions.map((_, index) => (index === ui.step ? next : (ui.chosen[index] ?? []))),
    },
  };
}
