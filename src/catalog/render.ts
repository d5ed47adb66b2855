/** From a skill's file to the prompt: arguments filled in, inline commands run, files attached. */
import { dirname } from 'node:path';
import type { UserBlock } from '../contract/message.ts';
import type { RenderedSkill, SkillInfo, SkillPlace } from '../contract/skill.ts';
import { type Filling, fill } from './arguments.ts';
import { parseTemplate } from './template.ts';

/** How an inline command ended. `refused`: the permission engine did not allow it; nobody is asked. */
export type InlineRun =
  | { readonly status: 'ok'; readonly output: string; readonly exitCode: number }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'failed'; readonly reason: string };

export interface RenderPorts {
  /** Judges and runs one command as the Bash tool would, with these allow rules beside the session's; never asks. */
  runShell(
    command: string,
    at: SkillPlace & { readonly allow: readonly string[]; readonly timeoutMs: number },
  ): Promise<InlineRun>;
  /** Blocks for the files that exist and may be read; the others bring nothing. */
  attach(
    paths: readonly string[],
    at: SkillPlace & { readonly skill: SkillInfo; readonly plugin?: { readonly root: string } },
  ): Promise<readonly UserBlock[]>;
  /** False puts a note where commands stand (`disableSkillShellExecution`). */
  shellAllowed(): boolean;
  /** Folder for what the plugin in a folder keeps. */
  pluginData?(root: string): string;
}

export interface Renderable {
  readonly skill: SkillInfo;
  readonly body: string;
  /** False for files of a project that is not trusted: their commands do not run. */
  readonly trusted: boolean;
  readonly argumentNames: readonly string[];
  readonly plugin?: { readonly name: string; readonly root: string };
}

const TWO_MINUTES = 120_000;

/** Programs whose exit code 1 is an answer. */
const answersWithOne = /^(?:\S*\/)?(?:grep|egrep|fgrep|rg|diff|cmp|test|\[)$/;

const lastProgram = (command: string): string =>
  command
    .split(/\||;|&&|\n/)
    .at(-1)
    ?.trim()
    .split(/\s+/)[0] ?? '';

const isFine = (command: string, exitCode: number): boolean =>
  exitCode === 0 || (exitCode === 1 && answersWithOne.test(lastProgram(command)));

const fillingOf = (what: Renderable, args: string, at: SkillPlace, ports: RenderPorts): Filling => {
  const { state } = at;
  const effort = state.inForce?.effort ?? state.effort;
  return {
    args,
    names: what.argumentNames,
    variables: {
      SKILL_DIR: dirname(what.skill.path),
      PROJECT_DIR: state.project,
      SESSION_ID: state.root,
      ...(effort ? { EFFORT: effort } : {}),
      ...(what.plugin ? { PLUGIN_ROOT: what.plugin.root } : {}),
      ...(what.plugin && ports.pluginData ? { PLUGIN_DATA: ports.pluginData(what.plugin.root) } : {}),
    },
  };
};

const refusal = (skill: SkillInfo, command: string, why: string): { readonly refused: string } => ({
  refused: `The skill ${skill.slash} was not run: its command \`${command}\` ${why}`,
});

const runCommand = async (
  what: Renderable,
  command: string,
  allow: readonly string[],
  at: SkillPlace,
  ports: RenderPorts,
): Promise<string | { readonly refused: string }> => {
  const { skill } = what;
  if (!ports.shellAllowed()) return `[commands of skills are switched off; not run: ${command}]`;
  if (!what.trusted)
    return refusal(
      skill,
      command,
      `does not run, because ${what.skill.path} is not trusted as it stands. Look at it, then trust the folder with \`coppice trust\`.`,
    );
  const run = await ports.runShell(command, { ...at, allow, timeoutMs: TWO_MINUTES });
  if (run.status === 'refused')
    return refusal(
      skill,
      command,
      `is not allowed (${run.reason}). Allow it with a rule such as Bash(${command}) or under allowed-tools of the skill.`,
    );
  if (run.status === 'failed') return refusal(skill, command, `failed: ${run.reason}`);
  if (!isFine(command, run.exitCode))
    return refusal(
      skill,
      command,
      `ended with exit code ${run.exitCode}: ${run.output.trim().slice(0, 500)}`,
    );
  return run.output.replace(/\n$/, '');
};

/** A refusal is one sentence; then nothing of the skill enters the conversation. */
export const render = async (
  what: Renderable,
  args: string,
  at: SkillPlace,
  ports: RenderPorts,
): Promise<RenderedSkill | { readonly refused: string }> => {
  const { skill } = what;
  const filling = fillingOf(what, args, at, ports);
  const template = parseTemplate(what.body);
  const granted = what.trusted ? skill.allowedTools : [];
  const allowedTools = granted.map((rule) => fill(rule, { ...filling, args: '', names: [] }).text);
  let text = '';
  let used = false;
  for (const piece of template.pieces) {
    const filled = fill(piece.kind === 'text' ? piece.text : piece.command, filling);
    used ||= filled.used;
    if (piece.kind === 'text') {
      text += filled.text;
      continue;
    }
    const output = await runCommand(what, filled.text, allowedTools, at, ports);
    if (typeof output !== 'string') return output;
    text += output;
  }
  const mentions = [...new Set(template.mentions.map((mention) => fill(mention, filling).text))];
  const from = { ...at, skill, ...(what.plugin ? { plugin: what.plugin } : {}) };
  const attached = mentions.length > 0 ? await ports.attach(mentions, from) : [];
  const whole = [
    ...(skill.kind === 'skill' ? [`Base directory of this skill: ${dirname(skill.path)}`] : []),
    text.trim(),
    ...(!used && args.trim() !== '' ? [`ARGUMENTS: ${args}`] : []),
  ];
  return { text: whole.filter((part) => part !== '').join('\n\n'), attached, allowedTools };
};
