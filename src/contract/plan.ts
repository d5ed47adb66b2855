import type { Display } from './display.ts';

/** What a plan is called: its first heading, else its first line; undefined when it says nothing. */
export const planTitle = (plan: string): string | undefined => split(plan)?.title;

/** A plan that a person has seen, and what became of it in few words. */
export const planDisplay = (plan: string, summary: string): Extract<Display, { kind: 'plan' }> => {
  const { title, rest } = split(plan) ?? { title: '', rest: plan };
  return { kind: 'plan', summary, title, body: rest };
};

/** A heading at the top is the title alone; any other first line is part of the plan too. */
const split = (plan: string): { readonly title: string; readonly rest: string } | undefined => {
  const whole = plan.trim();
  const [first = ''] = whole.split('\n', 1);
  const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(first)?.[1];
  if (heading !== undefined) return { title: heading, rest: whole.slice(first.length).trim() };
  return first === '' ? undefined : { title: first, rest: whole };
};
