/** The marks by which a model tells our words, and whose words it reads, from all others. */
const MARKS =
  /<(?=\s*\/?\s*(?:system-reminder|teammate-message|task-notification|command-(?:name|message|args)|attached)\b)/gi;

/** Words of agents, tasks and servers that can neither end their own frame nor open one of ours. */
export const withoutMarks = (text: string): string => text.replaceAll(MARKS, '&lt;');
