/**
 * A tool server that does what a test wants of it: `node tool-server.ts [OPTIONS AS JSON]`. It speaks the protocol by
 * hand, so that it can break it. Tools: echo, die, big, wait, grow, ask, roots, picture, environment, progress.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';

const options = z
  .object({
    /** So many tools more. */
    many: z.number().default(0),
    /** Tools a page. */
    page: z.number().default(1000),
    /** Lines about what happened are added to this file. */
    log: z.string().optional(),
    /** Further tools as they are. */
    tools: z.array(z.unknown()).default([]),
    prompts: z.array(z.unknown()).optional(),
    resources: z.array(z.unknown()).optional(),
    instructions: z.string().optional(),
    /** Written to standard output before everything else. */
    noise: z.string().optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

type Message = {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
};

const note = (line: string): void => {
  if (options.log) appendFileSync(options.log, `${line}\n`);
};
const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

const waiting = new Map<number, (result: unknown) => void>();
let asked = 0;
/** A request to the client. */
const request = (method: string, params: object): Promise<unknown> => {
  asked += 1;
  const id = asked;
  send({ id, method, params });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
  });
};

let grown = 0;
const plain = (name: string) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: {} },
});
const allTools = (): readonly unknown[] => [
  ...'echo die big wait grow ask roots picture environment progress'.split(' ').map(plain),
  ...Array.from({ length: grown }, (_, at) => plain(`grown${at + 1}`)),
  ...options.tools,
  ...Array.from({ length: options.many }, (_, at) => plain(`tool${at}`)),
];

type Tool = (args: Record<string, unknown>, call: Message) => unknown;
const tools: Record<string, Tool> = {
  echo: (args) => text(String(args.text ?? 'echo')),
  die: () => process.exit(3),
  big: (args) => text('x'.repeat(Number(args.size))),
  wait: () => new Promise(() => note('waiting')),
  grow() {
    grown += 1;
    for (let times = 0; times < 20; times += 1) send({ method: 'notifications/tools/list_changed' });
    return text('grown');
  },
  ask: async (args) =>
    text(
      JSON.stringify(
        await request('elicitation/create', { message: 'Please say', requestedSchema: args.schema }),
      ),
    ),
  roots: async () => text(JSON.stringify(await request('roots/list', {}))),
  picture: (args) => ({ content: [{ type: 'image', data: args.data, mimeType: args.mimeType }] }),
  environment: (args) => text(process.env[String(args.name)] ?? 'unset'),
  async progress(_args, { params }) {
    const token = (params?._meta as { readonly progressToken?: unknown } | undefined)?.progressToken;
    for (const step of [1, 2, 3]) {
      send({
        method: 'notifications/progress',
        params: { progressToken: token, progress: step, total: 3, message: 'digging' },
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return text('dug');
  },
};

const answers: Record<string, (message: Message) => unknown> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    serverInfo: { name: 'tool-server', version: '1' },
    ...(options.instructions ? { instructions: options.instructions } : {}),
    capabilities: {
      tools: { listChanged: true },
      ...(options.prompts ? { prompts: {} } : {}),
      ...(options.resources ? { resources: {} } : {}),
    },
  }),
  ping: () => ({}),
  'tools/list'({ params }) {
    note('tools/list');
    const from = Number(params?.cursor ?? 0);
    const all = allTools();
    const next = from + options.page;
    return { tools: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) };
  },
  'tools/call': (message) => {
    const { name, arguments: args } = message.params as { name: string; arguments: Record<string, unknown> };
    return tools[name]?.(args, message) ?? text(name);
  },
  'prompts/list': () => ({ prompts: options.prompts }),
  'prompts/get': ({ params }) => ({
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${params?.name}: ${JSON.stringify(params?.arguments)}` },
      },
    ],
  }),
  'resources/list': () => ({ resources: options.resources }),
  'resources/read': ({ params }) => ({ contents: [{ uri: params?.uri, text: `text of ${params?.uri}` }] }),
};

note(`started ${process.pid}`);
if (options.noise) process.stdout.write(`${options.noise}\n`);
process.stderr.write('tool server is up\n');
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method === 'notifications/cancelled') note(`cancelled ${JSON.stringify(message.params)}`);
    if (message.method === 'notifications/roots/list_changed') note('roots changed');
    if (message.id === undefined) return;
    if (message.method === undefined) return waiting.get(Number(message.id))?.(message.result);
    const answer = answers[message.method];
    if (!answer)
      return send({ id: message.id, error: { code: -32601, message: `unknown ${message.method}` } });
    void Promise.resolve(answer(message)).then((result) => send({ id: message.id, result }));
  })
  .on('close', () => {
    note('end of input');
    process.exit(0);
  });
