import type { Answer, OpenAsk, RuleDestination } from '../../contract/ask.ts';

/** Where the person stands in a question; kept per question, so another one in between loses nothing. */
export interface AskUi {
  readonly index: number;
  /** Rows of the preview scrolled past. */
  readonly scroll: number;
  /** A comment, feedback or an answer in own words. */
  readonly text: string;
  readonly typing: boolean;
  readonly trace: boolean;
  readonly destination: RuleDestination;
  /** Which of several questions; answers so far. */
  readonly step: number;
  readonly chosen: readonly (readonly string[])[];
  readonly texts: readonly string[];
  /** The plan as edited. */
  readonly plan?: string;
}

export const freshAsk: AskUi = {
  index: 0,
  scroll: 0,
  text: '',
  typing: false,
  trace: false,
  destination: 'localSettings',
  step: 0,
  chosen: [],
  texts: [],
};

export interface Choice {
  readonly value:
    | 'yes'
    | 'always'
    | 'mode'
    | 'no'
    | 'plan-edits'
    | 'plan-ask'
    | 'plan-keep'
    | 'own'
    | 'next'
    | (string & {});
  readonly label: string;
  readonly detail?: string;
  /** Own words can be added. */
  readonly takesText?: boolean;
}

export const destinations: readonly { readonly value: RuleDestination; readonly label: string }[] = [
  { value: 'session', label: 'in this session' },
  { value: 'localSettings', label: 'in this project, for me' },
  { value: 'projectSettings', label: 'in this project, for everyone' },
  { value: 'userSettings', label: 'everywhere' },
];

/** The answers a question offers at this point. */
export function choicesOf(open: OpenAsk, ui: AskUi): readonly Choice[] {
  const question = open.question;
  switch (question.kind) {
    case 'permission': {
      const always: Choice[] =
        question.why.suggestions.length > 0
          ? [
              {
                value: 'always',
                label: 'Yes, and don’t ask again for',
                detail: question.why.suggestions.join(', '),
              },
            ]
          : [];
      const mode: Choice[] =
        question.display?.kind === 'diff'
          ? [{ value: 'mode', label: 'Yes, and accept all edits from now on', detail: 'shift+tab' }]
          : [];
      return [
        { value: 'yes', label: 'Yes', takesText: true },
        ...mode,
        ...always,
        { value: 'no', label: 'No, and say what to do instead', takesText: true },
      ];
    }
    case 'plan':
      return [
        { value: 'plan-edits', label: 'Yes, go ahead and accept edits' },
        { value: 'plan-ask', label: 'Yes, and ask before each edit' },
        { value: 'plan-keep', label: 'No, keep planning', takesText: true },
      ];
    case 'choice': {
      const now = question.questions[ui.step];
      if (!now) return [];
      const own: Choice = {
        value: 'own',
        label:
          now.options.length > 0
            ? 'Something else'
            : now.mayBeEmpty
              ? 'Your answer, or nothing'
              : 'Your answer',
        takesText: true,
      };
      const options = now.options.map(
        (option): Choice => ({
          value: `option:${option.label}`,
          label: option.label,
          ...(option.description ? { detail: option.description } : {}),
        }),
      );
      return now.multiSelect
        ? [
            ...options,
            own,
            { value: 'next', label: ui.step + 1 < question.questions.length ? 'Next question' : 'Done' },
          ]
        : [...options, own];
    }
    case 'confirm':
      return question.options.map((option) => ({ value: option.value, label: option.label }));
  }
}

/** Rows where whatever is typed or pasted, letters and digits that are keys elsewhere too, is an answer. */
export const wantsWords = (choice: Choice | undefined): boolean =>
  choice?.value === 'no' || choice?.value === 'plan-keep' || choice?.value === 'own';

/** Esc: no, with nothing else to say. */
export function refusal(open: OpenAsk): Answer {
  switch (open.question.kind) {
    case 'permission':
      return { kind: 'permission', behavior: 'deny' };
    case 'plan':
      return { kind: 'plan', decision: 'keep' };
    case 'choice':
    case 'confirm':
      return { kind: 'none', reason: 'The question was dismissed.', source: 'interrupt' };
  }
}
