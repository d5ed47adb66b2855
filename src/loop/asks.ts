import type { Answer, OpenAsk, Question } from '../contract/ask.ts';
import type { AskId, SessionId } from '../contract/ids.ts';

/** Open questions of a whole tree of sessions in one list: each has an owner, none can hang. */
export interface Asks {
  ask(
    from: { readonly session: SessionId; readonly agent: string },
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>;
  answer(id: AskId, answer: Answer): boolean;
  open(): readonly OpenAsk[];
  /** Answers everything a session still asks with a `none`. */
  settle(session: SessionId | 'all', answer: Answer): void;
}

export interface AsksDeps {
  readonly newId: () => AskId;
  /** Where nobody is there to answer: the answer, at once. */
  readonly standIn?: (question: Question) => Answer | undefined;
  emit(
    session: SessionId,
    body:
      | { type: 'ask'; ask: AskId; question: Question }
      | { type: 'ask.settled'; ask: AskId; answer: Answer },
  ): void;
}

export const createAsks = (deps: AsksDeps): Asks => {
  const pending = new Map<AskId, { readonly open: OpenAsk; settle(answer: Answer): void }>();
  const settleOne = (id: AskId, answer: Answer): boolean => {
    const found = pending.get(id);
    if (!found) return false;
    pending.delete(id);
    deps.emit(found.open.session, { type: 'ask.settled', ask: id, answer });
    found.settle(answer);
    return true;
  };
  return {
    async ask(from, question, signal) {
      const substitute = deps.standIn?.(question);
      if (substitute) return substitute;
      if (signal.aborted)
        return { kind: 'none', reason: 'Interrupted before the question was put.', source: 'interrupt' };
      const id = deps.newId();
      return new Promise<Answer>((resolve) => {
        const stop = () => settleOne(id, { kind: 'none', reason: 'Interrupted.', source: 'interrupt' });
        signal.addEventListener('abort', stop, { once: true });
        pending.set(id, {
          open: { id, session: from.session, agent: from.agent, question },
          settle(answer) {
            signal.removeEventListener('abort', stop);
            resolve(answer);
          },
        });
        deps.emit(from.session, { type: 'ask', ask: id, question });
      });
    },
    answer: settleOne,
    open: () => [...pending.values()].map((one) => one.open),
    settle(session, answer) {
      for (const [id, one] of pending)
        if (session === 'all' || one.open.session === session) settleOne(id, answer);
    },
  };
};
