/** One configured server over its whole life: start, list, change, break, come back. */
import type {
  Elicitation,
  ElicitationAnswer,
  ServerConfig,
  ServerResource,
  ServerState,
  ServerStatus,
} from '../contract/server.ts';
import type { Tool } from '../contract/tool.ts';
import { targetOf } from './config.ts';
import type { Connection, ConnectionPlace, Link } from './connection.ts';
import type { ContentPorts } from './content.ts';
import { toolNames } from './names.ts';
import { nothing, type Offer, type RemotePrompt, readOffer } from './offer.ts';
import { createReach, type Reach } from './reach.ts';
import { callRemote } from './remote-call.ts';
import { serverTool } from './server-tool.ts';
import { isSessionGone } from './session-gone.ts';
import { messageOf, signInText, wantsSignIn } from './trouble.ts';

const LOG_LINES = 200;
const TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** How long the result of a call waits for the list of tools that the call changed. */
const LISTED_MS = 1000;
/** A connection that held this long begins to count its breaks anew. */
const STEADY_MS = 60_000;

export interface Seat {
  readonly config: ServerConfig;
  state(): ServerState;
  tools(): readonly Tool[];
  prompts(): readonly RemotePrompt[];
  resources(): readonly ServerResource[];
  connection(): Connection | undefined;
  readonly ask: Reach['ask'];
  /** Resolves when it has connected or failed; one that is held only starts when asked by name. */
  start(how?: 'asked'): Promise<void>;
  stop(as?: 'disabled'): Promise<void>;
}

export interface SeatDeps {
  readonly place: ConnectionPlace;
  readonly callMs: number;
  elicit(server: string, request: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
  content(server: string): ContentPorts;
  /** This server is in another state now. */
  moved(state: ServerState): void;
}

export const createSeat = (config: ServerConfig, deps: SeatDeps): Seat => {
  let status: ServerStatus = config.held ?? 'starting';
  let error: string | undefined;
  let link: Link | undefined;
  let client: Connection | undefined;
  let offer: Offer = nothing;
  let tools: readonly Tool[] = [];
  /** Which start this is: what an earlier one still brings counts no more. */
  let turn = 0;
  let breaks = 0;
  let since = 0;
  const log: string[] = [];

  const state = (): ServerState => {
    const instructions = client?.getInstructions();
    return {
      name: config.name,
      status,
      scope: config.scope,
      source: config.source,
      target: targetOf(config),
      ...(error ? { error } : {}),
      tools: tools.map((tool) => tool.schema.name),
      toolsLeftOut: offer.toolsLeftOut,
      prompts: offer.prompts.map((prompt) => prompt.name),
      resources: offer.resources.length,
      ...(instructions ? { instructions } : {}),
      log: [...log],
    };
  };
  const note = (line: string): void => {
    log.push(line.length > 2000 ? `${line.slice(0, 2000)}…` : line);
    if (log.length > LOG_LINES) log.shift();
  };
  const move = (next: ServerStatus, why?: string): void => {
    status = next;
    error = why;
    deps.moved(state());
  };

  const take = (next: Offer): void => {
    offer = next;
    const names = toolNames(
      config.name,
      next.tools.map((tool) => tool.name),
    );
    tools = next.tools
      .map((tool, at) =>
        serverTool(tool, { name: names[at] ?? tool.name, call, content: deps.content(config.name) }),
      )
      .toSorted((a, b) => (a.schema.name < b.schema.name ? -1 : 1));
  };

  /** Links that are left as soon as nothing waits for an answer over them. */
  const leaving = new Set<Link>();
  const leave = async (old: Link): Promise<void> => {
    leaving.delete(old);
    await old.end();
  };
  const end = async (): Promise<void> => {
    const old = [...leaving, ...(link ? [link] : [])];
    link = undefined;
    client = undefined;
    await Promise.all(old.map(leave));
  };

  const open = async (): Promise<void> => {
    turn += 1;
    const mine = turn;
    const { openLink } = await import('./connection.ts');
    if (mine !== turn) return;
    let lost: string | undefined;
    const opened = openLink(config, deps.place, {
      changed: () => relist(mine),
      closed(why) {
        lost = why;
        if (mine !== turn || client === undefined) return;
        note(why);
        void comeBack(why);
      },
      log: note,
      elicit: (request, signal) => deps.elicit(config.name, request, signal),
    });
    link = opened;
    try {
      const live = await opened.ready;
      const found = await readOffer(live, note);
      if (mine !== turn) return;
      if (lost !== undefined) throw new Error(lost);
      client = live;
      since = Date.now();
      take(found);
      move('connected');
      if (again) relist(mine);
    } catch (failed) {
      void opened.end();
      if (mine === turn) throw failed;
    }
  };

  let listing: Promise<void> | undefined;
  let again = false;
  const relistAll = async (mine: number): Promise<void> => {
    while (again && mine === turn && client) {
      again = false;
      await readOffer(client, note).then(
        (found) => (mine === turn ? take(found) : undefined),
        (failed: unknown) => note(messageOf(failed)),
      );
    }
  };
  /** However often it says that something changed, one list is asked for at a time. */
  const relist = (mine: number): void => {
    again = true;
    listing ??= relistAll(mine).finally(() => {
      listing = undefined;
    });
  };

  const fallBack = (to: 'failed' | 'needs sign-in', why: string): void => {
    tools = [];
    offer = nothing;
    move(to, why);
  };

  /** Tries again with growing pauses; then it stays failed until somebody reconnects it. */
  const comeBack = async (why: string): Promise<void> => {
    if (Date.now() - since > STEADY_MS) breaks = 0;
    move('reconnecting', why);
    await end();
    for (let mine = turn; breaks < TRIES; mine = turn) {
      const ms = FIRST_PAUSE_MS * 2 ** breaks;
      breaks += 1;
      await new Promise((resolve) => setTimeout(resolve, ms).unref());
      if (mine !== turn) return;
      try {
        await open();
        return;
      } catch (failed) {
        note(messageOf(failed));
        if (wantsSignIn(failed)) return fallBack('needs sign-in', signInText(config));
      }
    }
    fallBack('failed', why);
  };

  const reach = createReach({
    live() {
      if (client) return client;
      throw new Error(
        `The server ${config.name} is not connected (${status}). /mcp reconnect ${config.name} starts it.`,
      );
    },
    helps(failed) {
      if (status === 'reconnecting')
        throw new Error(
          `The server ended during the call. ${error ?? ''} It is started again; call it again then.`,
        );
      if (wantsSignIn(failed)) throw new Error(signInText(config));
      return isSessionGone(failed);
    },
    async renew(failed, unused) {
      note(messageOf(failed));
      const old = link;
      if (old) leaving.add(old);
      link = undefined;
      client = undefined;
      try {
        await open();
      } catch (why) {
        note(messageOf(why));
        if (wantsSignIn(why)) fallBack('needs sign-in', signInText(config));
        else void comeBack(messageOf(why));
        throw why;
      } finally {
        if (old) void unused.then(() => leave(old));
      }
    },
  });
  const call = callRemote({
    timeoutMs: config.timeoutMs ?? deps.callMs,
    ask: reach.ask,
    listed: () =>
      Promise.race([listing, new Promise<void>((resolve) => setTimeout(resolve, LISTED_MS).unref())]),
  });

  return {
    config,
    state,
    tools: () => tools,
    prompts: () => offer.prompts,
    resources: () => offer.resources.map((one) => ({ server: config.name, ...one })),
    connection: () => client,
    ask: reach.ask,
    async start(how) {
      if (config.held && how !== 'asked') return;
      breaks = 0;
      move('starting');
      try {
        await open();
      } catch (failed) {
        note(messageOf(failed));
        if (wantsSignIn(failed)) move('needs sign-in', signInText(config));
        else move('failed', messageOf(failed));
      }
    },
    async stop(as) {
      turn += 1;
      tools = [];
      offer = nothing;
      if (as) move(as);
      await end();
    },
  };
};
