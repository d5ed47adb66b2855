import type { ImageBlock } from '../../contract/message.ts';
import { nextImage, type Prompt, reserved, typedOf, unreserved } from './prompt.ts';

/** Pictures that are still read: their marks stand in the prompt at once, so that the next keys come behind them. */
export interface PendingPictures {
  /** `words` take the place of the mark where no picture comes. */
  put(reading: Promise<ImageBlock | undefined>, words: string): void;
  /** A text that must stand without pictures that are not there yet. */
  worded(text: string): string;
  /** What is to be sent of a prompt; a promise while pictures of it are read. */
  typed(prompt: Prompt): ReturnType<typeof typedOf> | Promise<ReturnType<typeof typedOf>>;
}

export const pendingPictures = (
  prompt: () => Prompt,
  setPrompt: (change: (prompt: Prompt) => Prompt) => void,
): PendingPictures => {
  const reading = new Map<
    number,
    { readonly words: string; readonly done: Promise<(prompt: Prompt) => Prompt> }
  >();
  return {
    put(picture, words) {
      const number = Math.max(nextImage(prompt().images), ...[...reading.keys()].map((one) => one + 1));
      setPrompt((now) => reserved(now, number));
      const done = picture
        .catch(() => undefined)
        .then((image) => {
          const change = (now: Prompt): Prompt =>
            image ? { ...now, images: { ...now.images, [number]: image } } : unreserved(now, number, words);
          reading.delete(number);
          setPrompt(change);
          return change;
        });
      reading.set(number, { words, done });
    },
    worded: (text) =>
      [...reading].reduce((now, [number, { words }]) => now.replace(`[Image #${number}] `, words), text),
    typed(sent) {
      const waited = [...reading].filter(([number]) => sent.buffer.text.includes(`[Image #${number}]`));
      if (waited.length === 0) return typedOf(sent);
      return Promise.all(waited.map(([, { done }]) => done)).then((changes) =>
        typedOf(changes.reduce((now, change) => change(now), sent)),
      );
    },
  };
};
