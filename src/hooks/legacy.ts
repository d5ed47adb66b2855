/** Old variables that some published hooks read and nothing sets: named by `doctor`, never set (ruling 9). */
import type { HookSource } from '../contract/hook.ts';
import { labelOf } from './label.ts';

const LEGACY =
  /\b(CLAUDE_TOOL_\w+|CLAUDE_AGENT_NAME|CLAUDE_HOOK_EVENT_NAME|CLAUDE_TRANSCRIPT_PATH|STDIN_JSON|TOOL_(?:NAME|INPUT|OUTPUT))\b/g;

export interface LegacyNeed {
  readonly path: string;
  readonly place: string;
  readonly label: string;
  readonly variables: readonly string[];
}

/** Command hooks that read variables which do not exist; their input is on stdin instead. */
export const legacyNeeds = (sources: readonly HookSource[]): readonly LegacyNeed[] =>
  sources.flatMap((source) =>
    source.groups.flatMap(({ hooks }) =>
      hooks.flatMap((handler): LegacyNeed[] => {
        if (handler.type !== 'command') return [];
        const read = [handler.command, ...(handler.args ?? [])]
          .join(' ')
          .matchAll(/\$\{?(\w+)/g)
          .flatMap(([, name]) => (name && name.replace(LEGACY, '') === '' ? [name] : []));
        const variables = [...new Set(read)];
        if (variables.length === 0) return [];
        return [{ path: source.path, place: handler.place ?? '', label: labelOf(handler), variables }];
      }),
    ),
  );
