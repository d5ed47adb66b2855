/** The words a conversation begins with: the cached system prompt, and beside it what may change. */

import type { AgentDefinition } from '../contract/agent.ts';
import type { TextBlock } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { reminder } from '../lib/reminder.ts';
import { environmentText, type Surroundings } from './facts.ts';
import type { Flags } from './flags.ts';
import { UsageError } from './flags.ts';
import mainPrompt from './prompt/system.md';

const fileText = async (path: string, flag: string): Promise<string> => {
  try {
    return await readRegularText(path);
  } catch (error) {
    throw new UsageError(
      `${flag}: ${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
};

/** What `--system-prompt` and `--append-system-prompt` say, files read once. */
export const promptFlags = async (
  flags: Flags,
): Promise<{ readonly replace?: string; readonly append?: string }> => {
  const replace =
    flags.systemPrompt ??
    (flags.systemPromptFile ? await fileText(flags.systemPromptFile, '--system-prompt-file') : undefined);
  const append =
    flags.appendSystemPrompt ??
    (flags.appendSystemPromptFile
      ? await fileText(flags.appendSystemPromptFile, '--append-system-prompt-file')
      : undefined);
  return { replace, append };
};

export interface SystemParts {
  readonly replace?: string;
  readonly append?: string;
  /** An output style's text; `instead` when it leaves out our coding instructions. */
  readonly style?: { readonly text: string; readonly instead: boolean };
  readonly language?: string;
  /** How commits and pull requests are made. */
  readonly git?: string;
}

/** What holds however the model is to speak: care with what cannot be undone, and what the tools are for. */
const lasting = (prompt: string): string =>
  prompt
    .split(/^(?=# )/m)
    .filter((part) => /^# (Care|Tools)$/m.test(part))
    .map((part) => part.trim())
    .join('\n\n');

/** Stable for the whole session: every byte is part of the cached prefix. */
export const systemBlocks = (
  parts: SystemParts,
  definition: AgentDefinition | undefined,
  who: 'main' | 'child' = definition ? 'child' : 'main',
): readonly TextBlock[] => {
  const own = definition?.prompt ?? parts.replace;
  const base = own ?? (parts.style?.instead ? `${parts.style.text}\n\n${lasting(mainPrompt)}` : mainPrompt);
  const extra = [
    ...(parts.git && own === undefined && !parts.style?.instead ? [parts.git] : []),
    ...(parts.style && !definition && (!parts.style.instead || own !== undefined) ? [parts.style.text] : []),
    ...(parts.language ? [`Answer in ${parts.language}.`] : []),
    ...(parts.append && who === 'main' ? [parts.append] : []),
  ];
  return [{ type: 'text', text: [base.trim(), ...extra.map((text) => text.trim())].join('\n\n') }];
};

/** One instruction file as the model reads it. */
export interface Instruction {
  readonly path: string;
  readonly text: string;
}

const instructionText = (files: readonly Instruction[]): string =>
  `Instructions of the user and this project. They apply to all work here and win over your habits:\n\n${files.map((file) => `From ${file.path}:\n\n${file.text.trim()}`).join('\n\n')}`;

/** Instructions, listings, facts: one block each, so that what is unchanged stays byte for byte the same. */
export const openingBlocks = (
  state: SessionState,
  around: Surroundings,
  instructions: readonly Instruction[],
  listings: readonly string[],
): readonly TextBlock[] => [
  ...(instructions.length > 0 ? [reminder(instructionText(instructions))] : []),
  ...listings.filter((text) => text.trim() !== '').map(reminder),
  reminder(environmentText(state, around)),
];
