import type { ImageBlock } from '../../contract/message.ts';
import { nextImage, type Prompt, reserved, typedOf, unreserved } from './prompt.ts';

/** Pictures that are still read: their marks stand in the prompt at once, so that the next keys come behind them. */
export interface PendingPictures {
  /** `words` take the place of the mark where no picture comes. */
  put(reading: Promise<ImageBlock | undefined>, words: string): void;
  /** A text that must stand without pictures that are not there yet. */
  worded(text: string): string;
  /** Prompts that were sent and wait for their pictures, or for one sent before them. */
  sending(): readonly string[];
  /** What is to be sent of a prompt, in the order of asking; a promise while pictures are read. */
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
  let sending: readonly Prompt[] = [];
  let before: Promise<unknown> = Promise.resolve();
  return {
    sending: () => sending.map((one) => typedOf(one).text),
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
      [...reading].reduce(
        (now, [number, { words }]) => now.replace(new RegExp(`\\[Image #${number}\\] ?`), () => words),
        text,
      ),
    typed(sent) {
      const waited = [...reading].filter(([number]) => sent.buffer.text.includes(`[Image #${number}]`));
      if (waited.length === 0 && sending.length === 0) return typedOf(sent);
      sending = [...sending, sent];
      const earlier = before;
      const ready = Promise.all(waited.map(([, { done }]) => done)).then(async (changes) => {
        await earlier;
        sending = sending.filter((one) => one !== sent);
        return typedOf(changes.reduce((now, change) => change(now), sent));
      });
      before = ready;
      return ready;
    },
  };
};
