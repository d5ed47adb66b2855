/** How a run without a person begins and ends, as its reader is told. */
import { randomUUID } from 'node:crypto';
import { allUse } from '../contract/message.ts';
import type { RunEnd } from '../front/headless/result.ts';
import type { Library } from './library.ts';
import type { Models } from './models.ts';
import type { PluginHouse } from './plugin-house.ts';
import type { Root } from './root.ts';
import type { ServerHouse } from './server-house.ts';
import type { Structured } from './structured-output.ts';
import { VERSION } from './version.ts';
import type { Voice } from './voice.ts';

export const endOf = (models: Models, root: Root, ms: number, structured: Structured | undefined): RunEnd => {
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
    ms,
    costUsd: models.cost(used),
    usageByModel: Object.fromEntries(
      Object.entries(used).map(([model, usage]) => [
        model,
        {
          ...usage,
          costUSD: models.costOf(model, usage),
          contextWindow: models.facts(model).window,
        },
      ]),
    ),
  };
};

/** What its reader is told at the beginning. */
interface RunFacts {
  readonly models: Models;
  readonly voice: Voice;
  readonly servers: ServerHouse;
  readonly library: Library;
  readonly plugins: PluginHouse;
}

/** The first line of `stream-json` (conventions 10). */
export const initLine = (
  { models, voice, servers, library, plugins }: RunFacts,
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
    mcp_servers: servers.servers.states().map(({ name, status }) => ({ name, status })),
    model: state.model,
    permissionMode: state.mode,
    slash_commands: slashNames,
    skills: library.skillNames(),
    agents: library.agents().map((agent) => agent.name),
    plugins: plugins.plugins().map(({ name, root }) => ({ name, path: root })),
    output_style: voice.name,
    apiKeySource: models.credential ?? 'none',
    claude_code_version: VERSION,
    coppice_version: VERSION,
    uuid: randomUUID(),
  };
};
