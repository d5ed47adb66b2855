/** The tools that need no other part of the house: files, search, commands and what runs on in the background. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agents } from '../contract/agent.ts';
import type { BackgroundItem } from '../contract/background.ts';
import type { SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import type { BackgroundCommands } from '../contract/shell.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mailbox } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { EntryBody } from '../contract/transcript.ts';
import { mediaReader } from '../media/media-reader.ts';
import { takesDocuments } from '../model/facts.ts';
import { ripgrep } from '../search/ripgrep.ts';
import { backgroundCommands } from '../shell/background.ts';
import { createShell } from '../shell/run.ts';
import { bashTool } from '../tools/bash.ts';
import { commandWork } from '../tools/command-work.ts';
import { editTool } from '../tools/edit.ts';
import { globTool } from '../tools/glob.ts';
import { grepTool } from '../tools/grep.ts';
import { notebookEditTool } from '../tools/notebook-edit.ts';
import { readTool } from '../tools/read.ts';
import { taskOutputTool } from '../tools/task-output.ts';
import { taskStopTool } from '../tools/task-stop.ts';
import { writeTool } from '../tools/write.ts';
import { agentWork, joined } from './background-work.ts';
import type { Commands } from './command-box.ts';
import type { Gate } from './gate.ts';
import { noticeText } from './notice-text.ts';
import type { World } from './world.ts';

export interface CoreTools {
  readonly tools: readonly Tool[];
  readonly commands: BackgroundCommands;
  /** Sees by what happens that a command is about to come. */
  foresee(event: SessionEvent): void;
  /** Sentences about commands and its own agents that run now, for the model after a compaction. */
  ledger(state: SessionState): readonly string[];
  /** What runs in the background now. */
  running(): readonly BackgroundItem[];
  /** Ends every command and what it left running. */
  close(): Promise<void>;
}

export interface CoreToolsDeps {
  readonly world: World;
  readonly gate: Gate;
  readonly sandboxed: Commands;
  outputs(state: SessionState): Promise<string>;
  readonly mailbox: Mailbox;
  agents(): Agents;
  record(session: SessionId, body: EntryBody): Promise<void>;
}

export const createCoreTools = ({
  world,
  gate,
  sandboxed,
  outputs: shared,
  mailbox,
  agents,
  record,
}: CoreToolsDeps): CoreTools => {
  const folders = new Map<SessionId, Promise<string>>();
  /** Made once for a conversation; where the home takes nothing, commands still need a place for what is too long. */
  const outputs = (state: SessionState): Promise<string> => {
    const folder =
      folders.get(state.root) ?? shared(state).catch(() => mkdtemp(join(tmpdir(), 'coppice-outputs-')));
    folders.set(state.root, folder);
    return folder;
  };
  const number = (name: string): number | undefined => {
    const value = Number(world.env()[name]);
    return value > 0 ? value : undefined;
  };
  const shell = createShell({ path: world.host.env.PATH ?? '', maxChars: number('BASH_MAX_OUTPUT_LENGTH') });
  const commands = backgroundCommands();
  const work = joined(commandWork(commands), agentWork(agents));
  const search = ripgrep({ env: world.childEnv() });
  const running = (): readonly BackgroundItem[] =>
    work
      .ids()
      .flatMap((id) => work.get(id) ?? [])
      .filter(({ status }) => status === 'running');
  let closing = false;

  const forbidden = (path: string, state: SessionState): boolean =>
    gate.rules(state).some(({ behavior }) => behavior === 'deny') &&
    gate.look({ tool: 'Read', input: { file_path: path }, readOnly: true }, state).decision === 'deny';

  const ended = async (state: SessionState, command: BackgroundItem): Promise<void> => {
    const { id, label, outputFile, output = '' } = command;
    const status = command.status === 'running' ? 'failed' : command.status;
    await record(state.id, { type: 'background', id, kind: 'command', label, status, output: outputFile });
    if (closing || status === 'lost') return;
    const code = typeof command.exitCode === 'number' ? `Exit code ${command.exitCode}. ` : '';
    await mailbox.send(state.id, {
      id: `command:${id}`,
      text: noticeText({ id, label, status, output: outputFile, text: `${code}${lastOf(output)}` }),
      origin: { kind: 'agent', name: label, ended: status },
    });
  };

  return {
    tools: [
      bashTool({
        shell,
        background: commands,
        env: sandboxed.env,
        aside: (state, command) => gate.staysAside(command, state),
        box: sandboxed.box,
        envFiles: async (state) => [join(await outputs(state), 'hook-environment.sh')],
        outputs,
        ended: (state, command) => void ended(state, command),
        defaultTimeoutMs: number('BASH_DEFAULT_TIMEOUT_MS'),
        maxTimeoutMs: number('BASH_MAX_TIMEOUT_MS'),
      }),
      readTool({
        media: mediaReader(),
        documents: takesDocuments,
        maxChars: (number('CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS') ?? 25_000) * CHARS_PER_TOKEN,
      }),
      editTool(),
      writeTool(),
      notebookEditTool(),
      globTool({ search, forbidden }),
      grepTool({ search, forbidden }),
      taskStopTool(work),
      taskOutputTool(work),
    ],
    commands,
    foresee: (event) => {
      if (event.type === 'tool.announced' && event.tool === 'Bash') shell.warm();
    },
    running,
    ledger: (state) => [
      ...running().flatMap(({ id, kind, label, outputFile }) =>
        kind === 'command' ? [`Command ${id} runs in the background: ${label} (output: ${outputFile})`] : [],
      ),
      ...agents()
        .list()
        .filter(({ parent, background, status }) => {
          const works = status === 'running' || status === 'waiting';
          return parent === state.id && background && works;
        })
        .map(
          ({ id, name, label, output }) =>
            `Agent ${name ? `${name} (${id})` : id} runs in the background: ${label} (output: ${output})`,
        ),
    ],
    close: async () => {
      closing = true;
      await commands.stopAll();
      await shell.close();
    },
  };
};

const CHARS_PER_TOKEN = 4;
const LAST_CHARS = 1_000;

const lastOf = (output: string): string =>
  output.length <= LAST_CHARS ? output : `... ${output.slice(-LAST_CHARS).toWellFormed()}`;
