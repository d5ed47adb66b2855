import * as z from 'zod';

export interface LocalServer {
  /** How its makers call it. */
  readonly name: string;
  readonly baseUrl: string;
  /** Model ids it offers. */
  readonly models: readonly string[];
}

export interface LocalCandidate {
  readonly name: string;
  readonly baseUrl: string;
  readonly list: string;
}

/** Servers for one's own machine that speak the Messages API, at their usual ports. */
const usualServers: readonly LocalCandidate[] = [
  { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434', list: '/v1/models' },
  { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234', list: '/v1/models' },
  { name: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080', list: '/v1/models' },
];

const PATIENCE_MS = 400;
const NOT_SPOKEN: ReadonlySet<number> = new Set([404, 405, 501]);

const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * Asks the usual ports on this machine, and nothing else, who speaks the Messages API. An empty request is
 * refused by those who do and not known to those who do not; nothing is generated.
 */
export const findLocalServers = async (
  candidates: readonly LocalCandidate[] = usualServers,
  patienceMs: number = PATIENCE_MS,
): Promise<readonly LocalServer[]> => {
  const found = await Promise.all(candidates.map((candidate) => probed(candidate, patienceMs)));
  return found.filter((server) => server !== undefined);
};

const probed = async (
  { name, baseUrl, list }: LocalCandidate,
  patienceMs: number,
): Promise<LocalServer | undefined> => {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const listed = modelList.safeParse(await (await fetch(`${baseUrl}${list}`, { signal })).json());
    if (!listed.success) return undefined;
    const headers = { 'content-type': 'application/json' };
    const asked = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body: '{}', signal });
    await asked.body?.cancel();
    if (NOT_SPOKEN.has(asked.status)) return undefined;
    return { name, baseUrl, models: listed.data.data.map(({ id }) => id) };
  } catch {
    // Nobody there, or nobody who answers in time: not a server we can offer.
    return undefined;
  }
};
