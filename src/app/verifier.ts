/** The sub-agent behind hooks of type agent: it may look, not change, and ends with one JSON object (ruling 17). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { AgentDefinition, Agents } from '../contract/agent.ts';
import type { ModelPorts } from '../hooks/model-hook.ts';
import { findBlock } from '../lib/frontmatter-block.ts';
import { packageRoot } from './package-root.ts';

const MOST_TURNS = 50;

/** The built-in `verify`, whatever somebody else's file of that name says: what a hook checks is not up to a project. */
export const verifierDefinition: AgentDefinition = {
  name: 'verify',
  description: 'Checks one condition for a hook by reading files.',
  get prompt() {
    return findBlock(readFileSync(join(packageRoot() ?? '', 'agents', 'verify.md'), 'utf8')).body;
  },
  tools: ['Read', 'Glob', 'Grep'],
  permissionMode: 'dontAsk',
  maxTurns: MOST_TURNS,
  source: 'builtin',
};

/** Opens a verifier as a child of the session whose hook asks, and waits for its last words. */
export const verifyWith =
  (agents: Agents): NonNullable<ModelPorts['verify']> =>
  async ({ prompt, model, session, signal }) => {
    const handle = await agents.spawn({
      prompt,
      label: 'Hook check',
      type: verifierDefinition.name,
      parent: session,
      model,
      background: false,
      maxTurns: MOST_TURNS,
      verifier: true,
      signal,
    });
    if ('refused' in handle) return { failed: handle.refused };
    const { status, text } = await handle.result;
    return status === 'done' ? { text } : { failed: text };
  };
