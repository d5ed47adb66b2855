import type { HostDeps } from '../agents/host-deps.ts';
import { unpricedText } from '../loop/budget.ts';
import type { Models } from './models.ts';
import type { Purses } from './purses.ts';
import type { World } from './world.ts';

/** Which model a child runs on: asked for, else its definition's, else what the variable says, else its parent's. */
export const childModel =
  (world: World, models: Models, purses: Purses): HostDeps['modelFor'] =>
  (request, definition) => {
    const asked = request.model;
    if (asked !== undefined && !models.known(asked))
      return {
        refused: `There is no model "${asked}". Use one of the tiers small, medium, large, or leave it out to use the parent's.`,
      };
    const own = definition.model && models.known(definition.model) ? definition.model : undefined;
    const wish = asked ?? own ?? world.env().CLAUDE_CODE_SUBAGENT_MODEL ?? 'inherit';
    const id = models.id(wish, request.parent.model);
    return purses.money && models.facts(id).price === undefined ? { refused: unpricedText(id) } : { id };
  };
