/** `--agents JSON`: agents of one run, `prompt` standing for the body of a file. */
import * as z from 'zod';
import { errorText } from '../lib/error-text.ts';
import { problemsOf } from './checks.ts';
import type { Found } from './definition.ts';
import { normalise, pickText } from './fields.ts';
import { slug } from './slug.ts';

const shape = z.record(z.string().min(1), z.looseObject({ prompt: z.string().optional() }));
const example = '{"reviewer": {"description": "Reviews code", "prompt": "You review code."}}';

/** The agents of the flag, or one sentence that says what to write. */
export const flagAgents = (json: string): readonly Found[] | { readonly refused: string } => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return {
      refused: `--agents is not JSON (${errorText(error)}). Write ${example}.`,
    };
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success)
    return { refused: `--agents must be a map from names to definitions, like ${example}.` };
  return Object.entries(parsed.data).map(([name, raw]): Found => {
    const { fields, repairs, problems } = normalise(raw, {});
    const described = pickText(fields, 'description');
    return {
      name,
      kind: 'agent',
      description: described ?? '',
      path: '--agents',
      source: 'flag',
      fields,
      repairs,
      problems: [
        ...problems,
        ...(described ? [] : ['There is no description, so nobody knows when to use it.']),
        ...(pickText(fields, 'prompt')
          ? []
          : ['There is no prompt, so the agent has no instructions of its own.']),
        ...problemsOf('agent', fields),
      ],
      slash: slug(name),
      place: { path: '--agents', kind: 'agent', source: 'flag', foreign: false },
      real: `--agents ${name}`,
      bytes: 0,
      folders: [],
      stem: name,
    };
  });
};
