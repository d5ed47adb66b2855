/** The person's wish that a call goes on in the background, heard from now until it is forgotten. */
import type { ToolContext } from '../contract/tool.ts';

export interface AwayWish {
  /** What comes first: the result, or the wish. */
  or<T>(result: Promise<T>): Promise<T | 'away'>;
  /** Listens no more, so that nothing of the call stays behind. */
  forget(): void;
}

export const awayWish = ({ backgrounded }: Pick<ToolContext, 'backgrounded'>): AwayWish => {
  const { promise, resolve } = Promise.withResolvers<'away'>();
  const stop = backgrounded?.(() => resolve('away'));
  return { or: (result) => Promise.race([result, promise]), forget: () => stop?.() };
};
