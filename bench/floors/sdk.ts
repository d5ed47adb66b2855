/** `sdk.js PROMPT`: the least loop that streams, runs commands, reads files and answers. No checks, no records. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ maxRetries: 0 });
const tools = ['Bash', 'Read'].map((name) => ({
  name,
  description: name,
  input_schema: { type: 'object' as const, properties: {} },
}));
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: process.argv[2] ?? 'hi' }];

const bash = (command: string): Promise<string> =>
  new Promise((resolve) => {
    let output = '';
    const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part;
      });
    child.on('close', () => resolve(output));
  });

for (;;) {
  const stream = await client.messages.create({
    model: 'claude-sonnet-5-5',
    max_tokens: 8192,
    messages,
    tools,
    stream: true,
  });
  const blocks: (Anthropic.TextBlockParam | (Anthropic.ToolUseBlockParam & { json: string }))[] = [];
  for await (const event of stream) {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      if (block.type === 'text') blocks.push({ type: 'text', text: '' });
      else if (block.type === 'tool_use')
        blocks.push({ type: 'tool_use', id: block.id, name: block.name, input: {}, json: '' });
    } else if (event.type === 'content_block_delta') {
      const block = blocks.at(-1);
      if (event.delta.type === 'text_delta' && block?.type === 'text') block.text += event.delta.text;
      if (event.delta.type === 'input_json_delta' && block?.type === 'tool_use')
        block.json += event.delta.partial_json;
    }
  }
  const uses = blocks.filter((block) => block.type === 'tool_use');
  const said = blocks.map((block) => {
    if (block.type === 'text') return block;
    const { json, ...use } = block;
    return { ...use, input: JSON.parse(json) as Record<string, string> };
  });
  messages.push({ role: 'assistant', content: said });
  if (uses.length === 0) {
    for (const block of said) if (block.type === 'text') process.stdout.write(`${block.text}\n`);
    break;
  }
  messages.push({
    role: 'user',
    content: await Promise.all(
      uses.map(async ({ id, name, json }) => {
        const input = JSON.parse(json) as Record<string, string>;
        const content =
          name === 'Read' ? await readFile(input.file_path ?? '', 'utf8') : await bash(input.command ?? '');
        return { type: 'tool_result' as const, tool_use_id: id, content };
      }),
    ),
  });
}
