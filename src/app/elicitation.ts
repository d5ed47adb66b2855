/** A form that a tool server wants filled in, as questions to the person: one a field, checked before it is sent. */
import * as z from 'zod';
import type { Answer, ChoiceQuestion, Question } from '../contract/ask.ts';
import type { Elicitation, ElicitationAnswer } from '../contract/server.ts';

type Value = string | number | boolean | string[];

const choices = z.array(z.looseObject({ const: z.string(), title: z.string().optional() }));
const property = z.looseObject({
  type: z.string().catch('string'),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: choices.optional().catch(undefined),
  items: z
    .looseObject({
      enum: z.array(z.string()).optional(),
      anyOf: choices.optional(),
      oneOf: choices.optional(),
    })
    .optional()
    .catch(undefined),
  default: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
    .optional()
    .catch(undefined),
  format: z.string().optional().catch(undefined),
  minLength: z.number().optional().catch(undefined),
  maxLength: z.number().optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
  maximum: z.number().optional().catch(undefined),
  minItems: z.number().optional().catch(undefined),
  maxItems: z.number().optional().catch(undefined),
});
type Property = z.infer<typeof property>;

interface Option {
  readonly value: string;
  readonly label: string;
}

interface Field {
  readonly key: string;
  readonly facts: Property;
  readonly required: boolean;
  readonly options: readonly Option[];
}

const empty = 'Leave it empty';

const optionsOf = (facts: Property): readonly Option[] => {
  const titled = facts.oneOf ?? facts.items?.anyOf ?? facts.items?.oneOf;
  if (titled) return titled.map((one) => ({ value: one.const, label: one.title ?? one.const }));
  if (facts.type === 'boolean')
    return [
      { value: 'true', label: 'yes' },
      { value: 'false', label: 'no' },
    ];
  const values = facts.enum ?? facts.items?.enum ?? [];
  return values.map((value, at) => ({ value, label: facts.enumNames?.[at] ?? value }));
};

const form = z.looseObject({
  properties: z.record(z.string(), z.unknown()).catch({}),
  required: z.array(z.string()).catch([]),
});

const fieldsOf = ({ schema }: Elicitation): readonly Field[] => {
  const { properties, required } = form.parse(schema);
  return Object.entries(properties).map(([key, raw]) => {
    const facts = property.parse(typeof raw === 'object' && raw !== null ? raw : {});
    return { key, facts, required: required.includes(key), options: optionsOf(facts) };
  });
};

const isMany = ({ facts }: Field): boolean => facts.type === 'array';

/** What counts when nothing is given, as values. */
const usualValues = ({ facts: { default: usual } }: Field): readonly string[] =>
  usual === undefined ? [] : Array.isArray(usual) ? usual : [String(usual)];

const labelOf = ({ options }: Field, value: string): string =>
  options.find((one) => one.value === value)?.label ?? value;

/** The default stands first, what may be left empty says so. */
const questionOf = (
  server: string,
  message: string,
  field: Field,
  wrong: string | undefined,
): ChoiceQuestion => {
  const { key, facts, required, options } = field;
  const usual = usualValues(field).map((value) => labelOf(field, value));
  const labels = options.map(({ label }) => label);
  const isTyped = options.length === 0 || isMany(field);
  const [first, rest] = [true, false].map((isUsual) =>
    labels.filter((label) => usual.includes(label) === isUsual),
  );
  const otherwise = isTyped && usual.length > 0 ? ` (usual: ${usual.join(', ')})` : '';
  const what = `${facts.description ?? facts.title ?? key}${otherwise}`;
  return {
    question: `${server} asks: ${message}\n${what}${wrong === undefined ? '' : `\n${wrong}`}`,
    header: facts.title ?? key,
    options: [
      ...(first ?? []).map((label) => ({ label, description: 'usual' })),
      ...(rest ?? []).map((label) => ({ label })),
      ...(required || isTyped ? [] : [{ label: empty }]),
    ],
    multiSelect: isMany(field),
    ...(isTyped && (!required || facts.default !== undefined) ? { mayBeEmpty: true } : {}),
  };
};

const between = (size: number, least: number | undefined, most: number | undefined): boolean =>
  size >= (least ?? Number.NEGATIVE_INFINITY) && size <= (most ?? Number.POSITIVE_INFINITY);

const bounds = (least: number | undefined, most: number | undefined): string =>
  [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ].join(', ');

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => z.email().safeParse(text).success,
  uri: (text) => URL.canParse(text),
  date: (text) => z.iso.date().safeParse(text).success,
  'date-time': (text) => z.iso.datetime({ offset: true }).safeParse(text).success,
};

type Read = { readonly value: Value } | { readonly wrong: string };

const readNumber = (text: string, { type, minimum, maximum }: Property): Read => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return { wrong: `"${text}" is no number.` };
  if (type === 'integer' && !Number.isInteger(value)) return { wrong: `${text} is no whole number.` };
  return between(value, minimum, maximum)
    ? { value }
    : { wrong: `${text} is not ${bounds(minimum, maximum)}.` };
};

const readText = (text: string, { format, minLength, maxLength }: Property): Read => {
  if (!between(text.length, minLength, maxLength))
    return { wrong: `It has ${text.length} characters, not ${bounds(minLength, maxLength)}.` };
  const fits = format === undefined || formats[format]?.(text) !== false;
  return fits ? { value: text } : { wrong: `"${text}" is no ${format}.` };
};

const readMany = (values: readonly string[], { minItems, maxItems }: Property): Read =>
  between(values.length, minItems, maxItems)
    ? { value: [...values] }
    : { wrong: `${values.length} are chosen, not ${bounds(minItems, maxItems)}.` };

/** Undefined when it was left empty. */
const read = (field: Field, labels: readonly string[]): Read | undefined => {
  const { facts, options, required, key } = field;
  const meant = (label: string) => options.find((one) => one.label === label)?.value ?? label;
  const values =
    labels.length === 0 ? usualValues(field) : labels.filter((label) => label !== empty).map(meant);
  const [first] = values;
  if (facts.type === 'array') return values.length > 0 || required ? readMany(values, facts) : undefined;
  if (first === undefined) return required ? { wrong: `${key} cannot be empty.` } : undefined;
  if (facts.type === 'boolean') {
    if (/^(?:true|yes|y|1)$/i.test(first)) return { value: true };
    return /^(?:false|no|n|0)$/i.test(first)
      ? { value: false }
      : { wrong: `"${first}" is neither yes nor no.` };
  }
  if (facts.type === 'number' || facts.type === 'integer') return readNumber(first, facts);
  if (options.length > 0 && !options.some(({ value }) => value === first))
    return { wrong: `"${first}" is none of ${options.map(({ label }) => label).join(', ')}.` };
  return readText(first, facts);
};

/** Undefined: nobody is there. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;

const confirm = async (
  server: string,
  message: string,
  ask: AskPerson,
  signal: AbortSignal,
): Promise<ElicitationAnswer> => {
  const answer = await ask(
    {
      kind: 'confirm',
      title: `The tool server ${server} asks`,
      body: message,
      options: [
        { value: 'accept', label: 'Yes' },
        { value: 'decline', label: 'No' },
      ],
    },
    signal,
  );
  if (answer?.kind !== 'confirm') return { action: 'cancel' };
  return answer.value === 'accept' ? { action: 'accept', content: {} } : { action: 'decline' };
};

/** A bare message is a yes or no. Fields whose answers do not fit are asked again with the reason; leaving is a cancel. */
export const elicit = async (
  server: string,
  request: Elicitation,
  ask: AskPerson,
  signal: AbortSignal,
): Promise<ElicitationAnswer> => {
  const fields = fieldsOf(request);
  if (fields.length === 0) return confirm(server, request.message, ask, signal);
  const content: Record<string, Value> = {};
  let open: readonly { readonly field: Field; readonly wrong?: string }[] = fields.map((field) => ({
    field,
  }));
  while (open.length > 0) {
    const answer = await ask(
      {
        kind: 'choice',
        questions: open.map(({ field, wrong }) => questionOf(server, request.message, field, wrong)),
      },
      signal,
    );
    if (answer?.kind !== 'choice' || answer.answers.length < open.length) return { action: 'cancel' };
    open = open.flatMap(({ field }, at) => {
      const given = answer.answers[at];
      const typed = given?.text === undefined || given.text === '' ? [] : [given.text];
      const labels = isMany(field)
        ? [...(given?.chosen ?? []), ...typed]
        : typed.length > 0
          ? typed
          : (given?.chosen ?? []);
      const found = read(field, labels);
      if (found && 'value' in found) content[field.key] = found.value;
      return found && 'wrong' in found ? [{ field, wrong: found.wrong }] : [];
    });
  }
  return { action: 'accept', content };
};
