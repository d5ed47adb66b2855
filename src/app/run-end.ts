/** How a run without a person begins and ends, as its reader is told. */
import { randomUUID } from 'node:crypto';
import { allUse } from '../contract/message.ts';
import type { RunEnd } from '../front/headless/result.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import type { Structured } from './structured-output.ts';
import { VERSION } from './version.ts';

export const endOf = (
  house: House,
  root: Root,
  started: number,
  structured: Structured | undefined,
): RunEnd => {
  const { conversation } = root;
  const state = conversation.state();
  const end = conversation.lastEnd();
  const value = structured?.value();
  const used = allUse(state);
  return {
    stop:
      structured && value === undefined && end?.stop === 'end_turn'
        ? 'structured'
        : (end?.stop ?? 'end_turn'),
    text: end?.text ?? '',
    error:
      structured && value === undefined && end?.stop === 'end_turn'
        ? 'The model did not give an answer of the wanted schema.'
        : end?.error,
    structured: value,
    ms: Math.round(performance.now() - started),
    costUsd: house.models.cost(used),
    usageByModel: Object.fromEntries(
      Object.entries(used).map(([model, usage]) => [
        model,
        {
          ...usage,
          costUSD: house.models.costOf(model, usage),
          contextWindow: house.models.facts(model).window,
        },
      ]),
    ),
  };
};

/** The first line of `stream-json` (conventions 10). */
export const initLine = (
  house: House,
  root: Root,
  slashNames: readonly string[],
): Readonly<Record<string, unknown>> => {
  const state = root.conversation.state();
  return {
    type: 'system',
    subtype: 'init',
    cwd: state.cwd,
    session_id: root.session.id,
    tools: root.toolNames(),
    mcp_servers: house.servers.servers.states().map(({ name, status }) => ({ name, status })),
    model: state.model,
    permissionMode: state.mode,
    slash_commands: slashNames,
    skills: house.library.skillNames(),
    agents: house.library.agents().map((agent) => agent.name),
    plugins: house.plugins.plugins().map(({ name, root }) => ({ name, path: root })),
    output_style: house.voice.name,
    apiKeySource: house.models.credential ?? 'none',
    claude_code_version: VERSION,
    coppice_version: VERSION,
    uuid: randomUUID(),
  };
};
