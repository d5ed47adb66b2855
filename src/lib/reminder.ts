/** Words of ours inside a user message, told apart from the person's by the tag (conventions 1, additionalContext). */
export const reminder = (text: string): { readonly type: 'text'; readonly text: string } => ({
  type: 'text',
  text: `<system-reminder>\n${text}\n</system-reminder>`,
});
