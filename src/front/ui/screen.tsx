import { Box, type Key, Text, useApp, useCursor, useInput, usePaste, useStdout } from 'ink';
import { memo, useEffect, useRef, useSyncExternalStore } from 'react';
import { type Frame, framer } from './frame.ts';
import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';

/** What Ink lends: writing above the frame, and handing the terminal to another program. */
export interface InkTerminal {
  write(text: string): void;
  suspendTerminal(work: () => Promise<void>): Promise<void>;
}

export interface ScreenProps {
  readonly store: Pick<Store<ScreenState>, 'get' | 'subscribe'>;
  onKey(input: string, key: Key): void;
  onPaste(text: string): void;
  /** Called once Ink listens. */
  onReady(terminal: InkTerminal): void;
}

/** The live part of the screen. It only draws: what is on it comes from the store, keys go to the controller. */
export function Screen({ store, onKey, onPaste, onReady }: ScreenProps) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const draw = useRef<(state: ScreenState) => Frame>(undefined);
  draw.current ??= framer();
  const frame = draw.current(state);
  const { setCursorPosition } = useCursor();
  const { write } = useStdout();
  const { suspendTerminal } = useApp();
  useInput(onKey);
  usePaste(onPaste);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, after the input hooks above are connected
  useEffect(() => onReady({ write, suspendTerminal }), []);
  setCursorPosition(frame.caret);
  return (
    <Box flexDirection="column">
      {frame.rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
        <Row key={index} text={row} />
      ))}
    </Box>
  );
}

const Row = memo(function Row({ text }: { readonly text: string }) {
  return <Text wrap="truncate-end">{text}</Text>;
});
