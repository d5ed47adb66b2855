/** The smallest Ink program with a boxed input line: sends what is typed, shows the answer as it streams. */
import { Box, render, Static, Text, useInput } from 'ink';
import { useState } from 'react';

interface Said {
  readonly id: number;
  readonly text: string;
}

async function* stream(history: readonly Said[]): AsyncGenerator<string> {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const events = await new Anthropic({ maxRetries: 0 }).messages.create({
    model: 'claude-sonnet-5-5',
    max_tokens: 8192,
    messages: history.map(({ id, text }) => ({ role: id % 2 ? 'assistant' : 'user', content: text })),
    stream: true,
  });
  for await (const event of events)
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text;
}

const Floor = () => {
  const [typed, setTyped] = useState('');
  const [live, setLive] = useState('');
  const [said, setSaid] = useState<readonly Said[]>([]);
  const send = async (text: string): Promise<void> => {
    const asked = [...said, { id: said.length, text }];
    setSaid(asked);
    let answer = '';
    let drawn = 0;
    for await (const part of stream(asked)) {
      answer += part;
      // Thirty frames a second, as a terminal needs no more.
      if (performance.now() - drawn < 33) continue;
      drawn = performance.now();
      setLive(answer.split('\n').slice(-30).join('\n'));
    }
    setLive('');
    setSaid([...asked, { id: asked.length, text: answer }]);
  };
  useInput((text, key) => {
    if (key.delete || key.backspace) setTyped((before) => before.slice(0, -1));
    else if (key.return || text.endsWith('\r')) {
      setTyped('');
      void send(typed + text.trimEnd());
    } else setTyped((before) => before + text);
  });
  return (
    <>
      <Static items={[...said]}>{({ id, text }) => <Text key={id}>{text}</Text>}</Static>
      {live !== '' && <Text>{live}</Text>}
      <Box borderStyle="round">
        <Text>&gt; {typed}</Text>
      </Box>
    </>
  );
};

render(<Floor />, { maxFps: 120, interactive: true });
