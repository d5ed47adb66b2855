import { lastBranch } from '../../contract/branch.ts';
import type { Display } from '../../contract/display.ts';
import type { CallId } from '../../contract/ids.ts';
import type { ToolResultBlock } from '../../contract/message.ts';
import { planDisplay, planTitle } from '../../contract/plan.ts';
import type { Entry } from '../../contract/transcript.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Item } from './item.ts';
import { rewoundTo, userItem } from './view-entries.ts';

/** What of a resumed conversation still stands, as items: what a rewind took back is not shown again. */
export const standingItems = (entries: readonly Entry[]): Item[] => itemsOf(lastBranch(entries));

/** Stored entries as items, for the transcript view: rewound ones too. `live`: what runs still is left out. */
export const pastItems = (entries: readonly Entry[], live = false): Item[] => itemsOf(entries, live);

function itemsOf(entries: readonly Entry[], live = false): Item[] {
  const results = new Map<
    string,
    { readonly block: ToolResultBlock; readonly response: unknown; readonly summary?: string }
  >();
  for (const entry of entries) {
    if (entry.type !== 'user') continue;
    for (const block of entry.content)
      if (block.type === 'tool_result')
        results.set(block.tool_use_id, {
          block,
          response: entry.responses?.[block.tool_use_id],
          summary: entry.summaries?.[block.tool_use_id],
        });
  }
  return entries.flatMap((entry): Item[] => {
    switch (entry.type) {
      case 'user': {
        const item = userItem(entry);
        return item ? [item] : [];
      }
      case 'assistant':
        return entry.message.content.flatMap((block): Item[] => {
          if (block.type === 'text')
            return block.text.trim() === ''
              ? []
              : [{ kind: 'markdown', text: safeText(block.text), close: false }];
          if (block.type === 'thinking')
            return block.thinking === '' ? [] : [{ kind: 'thought', text: safeText(block.thinking), ms: 0 }];
          if (block.type !== 'tool_use') return [];
          const result = results.get(block.id);
          if (live && result === undefined) return [];
          const display =
            diffOf(result?.response) ??
            planOf(result?.response, result?.summary) ??
            (result?.summary === undefined
              ? undefined
              : ({
                  kind: 'text',
                  summary: safeText(result.summary),
                  body: resultText(result.block),
                } as const));
          const status = result === undefined ? 'cancelled' : result.block.is_error ? 'error' : 'ok';
          return [
            {
              kind: 'tool',
              call: {
                call: block.id as CallId,
                tool: block.name,
                subject: subjectOf(block.input),
                since: 0,
                status,
                progress: '',
                text: result ? resultText(result.block) : '',
                ...(display ? { display } : {}),
              },
            },
          ];
        });
      case 'failed':
        return [{ kind: 'note', level: 'error', text: safeText(entry.failure.text) }];
      case 'note':
        return [{ kind: 'note', level: entry.level, text: safeText(entry.text) }];
      case 'refused':
        return [
          { kind: 'user', text: safeText(entry.text) },
          { kind: 'note', level: 'warn', text: safeText(`Not sent, a hook refused it: ${entry.reason}`) },
        ];
      case 'compacted':
        return [
          {
            kind: 'divider',
            text: entry.how === 'model' ? 'conversation summarised' : 'conversation shortened',
          },
        ];
      case 'rewound':
        return [{ kind: 'divider', text: rewoundTo(entry.words) }];
      default:
        return [];
    }
  });
}

/** The input field a person would name the call by. */
export function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = new Map(Object.entries(input));
  const plan = fields.get('plan');
  const title = typeof plan === 'string' ? planTitle(plan) : undefined;
  if (title !== undefined) return title;
  for (const name of [
    'command',
    'file_path',
    'notebook_path',
    'pattern',
    'url',
    'query',
    'description',
    'subject',
    'skill',
    'to',
    'path',
    'name',
  ]) {
    const value = fields.get(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  const first = [...fields.values()].find((value) => typeof value === 'string' || Array.isArray(value));
  if (!Array.isArray(first)) return typeof first === 'string' ? first : '';
  return first
    .map((one: unknown) =>
      typeof one === 'object' && one !== null && 'header' in one ? String(one.header) : '',
    )
    .filter((text) => text !== '')
    .join(', ');
}

const resultText = (block: ToolResultBlock): string =>
  typeof block.content === 'string'
    ? block.content
    : block.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');

/** A stored plan, with what became of it. */
const planOf = (response: unknown, summary: string | undefined): Display | undefined =>
  summary !== undefined &&
  typeof response === 'object' &&
  response !== null &&
  'plan' in response &&
  typeof response.plan === 'string'
    ? planDisplay(response.plan, summary)
    : undefined;

/** A stored edit as a diff (`structuredPatch`, conventions 1). */
function diffOf(response: unknown): Display | undefined {
  if (
    typeof response !== 'object' ||
    response === null ||
    !('structuredPatch' in response) ||
    !Array.isArray(response.structuredPatch)
  )
    return undefined;
  const path = 'filePath' in response && typeof response.filePath === 'string' ? response.filePath : '';
  const lines = response.structuredPatch.flatMap((hunk: unknown): string[] => {
    if (typeof hunk !== 'object' || hunk === null || !('lines' in hunk) || !Array.isArray(hunk.lines))
      return [];
    const at = (name: string): number => Number((hunk as Record<string, unknown>)[name] ?? 1);
    return [
      `@@ -${at('oldStart')},${at('oldLines')} +${at('newStart')},${at('newLines')} @@`,
      ...hunk.lines.map(String),
    ];
  });
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return lines.length === 0
    ? undefined
    : {
        kind: 'diff',
        path,
        patch: lines.join('\n'),
        added: count('+'),
        removed: count('-'),
        ...('type' in response && response.type === 'create' ? { created: true } : {}),
      };
}
