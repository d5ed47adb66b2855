/** Answers the program that drives a run: what it asks beside its messages, and what it is asked (conventions 10). */
import type { Answer, Question } from '../contract/ask.ts';
import type { Mode } from '../contract/mode.ts';
import {
  type Control,
  controlError,
  controlSuccess,
  type readControl,
  readVerdict,
} from '../front/headless/control.ts';
import { errorText } from '../lib/error-text.ts';
import { chosenBy } from './driver-answers.ts';
import type { Flags } from './flags.ts';
import { modesOffered } from './mode-choice.ts';
import type { Models } from './models.ts';
import type { Root } from './root.ts';
import type { ServerHouse } from './server-house.ts';
import type { Voice } from './voice.ts';
import type { World } from './world.ts';

export type ControlLine = NonNullable<ReturnType<typeof readControl>>;

export interface ControlDesk {
  take(line: ControlLine): void;
  /** Resolves when all that was asked until now is done: a message counts after what stood before it. */
  done(): Promise<void>;
  /** Nobody will answer any more. */
  close(): void;
}

/** Whether the driving program is asked: for permissions, and what the model asks the person. */
export const asksDriver = (flags: Flags, question: Question): boolean =>
  flags.permissionPromptTool === 'stdio' && asked(question) !== undefined;

/** A question as the driving program hears of it; undefined where it has no words for it. */
const asked = (question: Question) => {
  if (question.kind === 'permission')
    return {
      tool_name: question.tool,
      input: question.input,
      tool_use_id: question.call,
      decision_reason: question.why.reason,
    };
  return question.kind === 'choice' && question.call !== undefined
    ? {
        tool_name: 'AskUserQuestion',
        input: { questions: question.questions },
        tool_use_id: question.call,
        decision_reason: 'The model asks.',
      }
    : undefined;
};

const answerOf = (question: Question, said: ReturnType<typeof readVerdict>): Answer => {
  if (question.kind === 'choice')
    return said.behavior === 'allow'
      ? chosenBy(question.questions, said.updatedInput?.answers)
      : {
          kind: 'none',
          source: said.interrupt ? 'interrupt' : 'headless',
          reason: `The question was refused${said.message ? `: ${said.message.replace(/[.\s]+$/, '')}` : ''}.`,
        };
  return said.behavior === 'allow'
    ? { kind: 'permission', behavior: 'allow', updatedInput: said.updatedInput }
    : {
        kind: 'permission',
        behavior: 'deny',
        comment: said.message ?? 'The permission prompt said no.',
        interrupt: said.interrupt,
      };
};

/** What a driving program may ask about. */
export interface Controlled {
  readonly world: World;
  readonly models: Models;
  readonly servers: ServerHouse;
  readonly voice: Voice;
}

export interface ControlPlace {
  readonly root: Root;
  readonly flags: Flags;
  /** Commands that a message may begin with. */
  readonly slashNames: readonly string[];
}

export const controlDesk = (
  controlled: Controlled,
  place: ControlPlace,
  write: (line: unknown) => void,
): ControlDesk => {
  const { session } = place.root;
  let closed = false;
  let doing: Promise<void> = Promise.resolve();
  const nobody = { kind: 'none', source: 'headless', reason: 'The permission prompt is gone.' } as const;
  session.listen((event) => {
    const request = event.type === 'ask' ? asked(event.question) : undefined;
    if (event.type !== 'ask' || request === undefined) return;
    if (closed) return session.answer(event.ask, nobody);
    write({
      type: 'control_request',
      request_id: event.ask,
      request: { subtype: 'can_use_tool', ...request, permission_suggestions: [] },
    });
  });

  const answer = async (id: string, asked: Control): Promise<void> => {
    const result = await carryOut(controlled, place, asked).catch((error: unknown) => ({
      refused: errorText(error),
    }));
    write('refused' in result ? controlError(id, result.refused) : controlSuccess(id, result.body));
  };
  return {
    take(line) {
      if ('quiet' in line) return;
      if ('refused' in line) return write(controlError(line.id, line.refused));
      if ('control' in line) {
        // An interrupt waits for nothing.
        const before = doing;
        const answered = line.control.subtype === 'interrupt' ? answer(line.id, line.control) : undefined;
        doing = answered ? answered.then(() => before) : before.then(() => answer(line.id, line.control));
        return;
      }
      const open = session.openAsks().find((one) => one.id === line.reply.id);
      if (!open) return;
      session.answer(open.id, answerOf(open.question, readVerdict(line.reply)));
    },
    done: () => doing,
    close() {
      closed = true;
      for (const open of session.openAsks()) session.answer(open.id, nobody);
    },
  };
};

type Outcome = { readonly body: unknown } | { readonly refused: string };

const carryOut = async (
  { world, models, servers, voice }: Controlled,
  { root, flags, slashNames }: ControlPlace,
  asked: Control,
): Promise<Outcome> => {
  const { session } = root;
  switch (asked.subtype) {
    case 'initialize':
      return {
        body: {
          commands: slashNames.map((name) => ({ name, description: '', argumentHint: '' })),
          output_style: voice.name,
          models: [{ value: session.state().model, displayName: session.state().model, description: '' }],
          account: {},
        },
      };
    case 'interrupt':
      session.interrupt();
      return { body: {} };
    case 'set_permission_mode': {
      const named = asked.mode === 'manual' || asked.mode === 'normal' ? 'default' : asked.mode;
      const offered: readonly Mode[] = [...modesOffered(world, flags), 'dontAsk'];
      const mode = offered.find((one) => one === named);
      if (!mode)
        return {
          refused: `The mode cannot become "${asked.mode}" here. It can be ${offered.join(', ')}; bypassPermissions needs --allow-dangerously-skip-permissions.`,
        };
      await session.setMode(mode);
      return { body: { mode } };
    }
    case 'set_model': {
      const name = asked.model ?? 'default';
      if (!models.known(name)) return { refused: `There is no model "${name}".` };
      await session.record({ type: 'model', model: models.id(name) });
      return { body: {} };
    }
    case 'set_max_thinking_tokens':
      await session.record({ type: 'model', thinkingTokens: asked.max_thinking_tokens ?? 0 });
      return { body: {} };
    case 'mcp_status':
      return {
        body: { mcpServers: servers.servers.states().map(({ name, status }) => ({ name, status })) },
      };
  }
};
