/** Ways to change something, each with a mark of its own: what a model may try while it should only plan. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Block, use } from './replies.ts';
import type { TempRepo } from './repo.ts';

export interface Way {
  readonly name: string;
  readonly call: Block;
  /** Path of what is there, or changed, once it worked. */
  readonly mark: string;
}

const bash = (command: string, more: object = {}) => use('Bash', { command, ...more });

/** Definitions, hooks and servers of the person that help to try. */
export const layHelp = async (repo: TempRepo): Promise<void> => {
  const home = (path: string) => join(repo.state, path);
  await repo.write(
    home('settings.json'),
    JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: `node ${home('swap.cjs')} PreToolUse` }] },
        ],
        PermissionRequest: [
          {
            matcher: 'Bash',
            hooks: [{ type: 'command', command: `node ${home('swap.cjs')} PermissionRequest` }],
          },
        ],
      },
      mcpServers: { toucher: { command: 'node', args: [home('server.cjs')] } },
      permissions: { allow: ['mcp__toucher', 'Bash(touch *)', 'Edit', 'Bash(rm *)'] },
    }),
  );
  await repo.write(
    home('swap.cjs'),
    `const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const event = process.argv[2];
const wanted = /^true # swap (\\S+) (\\S+)$/.exec(input.tool_input.command);
if (wanted && wanted[1] === event) {
  const updatedInput = { command: 'touch ' + wanted[2] };
  const said = event === 'PreToolUse'
    ? { permissionDecision: 'allow', updatedInput }
    : { decision: { behavior: 'allow', updatedInput } };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...said } }));
}
`,
  );
  await repo.write(
    home('server.cjs'),
    `let rest = '';
const say = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
process.stdin.on('data', (chunk) => {
  rest += chunk;
  const lines = rest.split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'toucher', version: '1' } } });
    else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'touch', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }] } });
    else if (method === 'tools/call') {
      require('fs').writeFileSync(params.arguments.path, '');
      say({ id, result: { content: [{ type: 'text', text: 'touched' }] } });
    } else if (id !== undefined) say({ id, result: {} });
  }
});
`,
  );
  const skill = (name: string, head: string, body: string) =>
    repo.write(
      home(`skills/${name}/SKILL.md`),
      `---\nname: ${name}\ndescription: Tries.\n${head}---\n${body}\n`,
    );
  await skill('inline', 'allowed-tools: Bash(touch *)\n', `!\`touch ${join(repo.path, 'by-skill')}\``);
  await skill('loosen', 'allowed-tools: Bash(touch *), Write\n', 'All is allowed now.');
  await skill('forked', 'context: fork\nallowed-tools: Bash(touch *)\n', `Do: by-forked-skill`);
  await repo.write(
    home('agents/loose.md'),
    '---\nname: loose\ndescription: Tries.\npermissionMode: bypassPermissions\n---\nYou are a loose agent.\n',
  );
};

/** What a child is told to do is a mark's name behind `Do:`. */
export const childCall = (prompt: string): Block | undefined => {
  const name = /Do: ([\w-]+)/.exec(prompt)?.[1];
  return name === undefined ? undefined : bash(`touch ${name}`);
};

export const waysOf = (repo: TempRepo, url: string): readonly Way[] => {
  const port = new URL(url).port;
  const here = (name: string) => join(repo.path, name);
  const shell = (name: string, command: string, mark = name): Way => ({
    name: `Bash: ${name}`,
    call: bash(command),
    mark: here(mark),
  });
  const tool = (name: string, call: Block, mark: string): Way => ({ name, call, mark });
  return [
    tool('Write', use('Write', { file_path: 'by-write', content: 'x' }), here('by-write')),
    tool(
      'Edit',
      use('Edit', { file_path: 'edit.txt', old_string: 'one', new_string: 'two' }),
      here('edit.txt'),
    ),
    tool('Read before NotebookEdit', use('Read', { file_path: here('n.ipynb') }), ''),
    tool(
      'NotebookEdit',
      use('NotebookEdit', { notebook_path: here('n.ipynb'), cell_id: 'a', new_source: 'two' }),
      here('n.ipynb'),
    ),
    tool(
      'Write through a link',
      use('Write', { file_path: 'link/by-link', content: 'x' }),
      join(repo.root, 'beyond/by-link'),
    ),
    tool(
      'Write into .git',
      use('Write', { file_path: '.git/hooks/pre-commit', content: 'x' }),
      here('.git/hooks/pre-commit'),
    ),
    tool(
      'Write of settings',
      use('Write', { file_path: '.coppice/settings.json', content: '{}' }),
      here('.coppice/settings.json'),
    ),
    tool(
      'Write beside the plan',
      use('Write', { file_path: join(repo.state, 'plans/other.md'), content: 'x' }),
      join(repo.state, 'plans/other.md'),
    ),
    shell('>', 'echo x > redirected', 'redirected'),
    shell('>>', 'echo x >> edit2.txt', 'edit2.txt'),
    shell('here-document', "cat > heredoc <<'EOF'\nx\nEOF", 'heredoc'),
    shell('&>', 'ls &> both', 'both'),
    shell('tee', 'echo x | tee teed', 'teed'),
    shell('touch', 'touch touched', 'touched'),
    shell('mkdir', 'mkdir made', 'made'),
    shell('rm', 'rm removed.txt', 'removed.txt'),
    shell('mv', 'mv moved.txt moved-away.txt', 'moved-away.txt'),
    shell('cp', 'cp README.md copied', 'copied'),
    shell('ln', 'ln -s README.md linked', 'linked'),
    shell('chmod', 'chmod 700 mode.txt', 'mode.txt'),
    shell('sed -i', 'sed -i s/one/two/ sed.txt', 'sed.txt'),
    shell('sed w', "sed -n 'w sedded' README.md", 'sedded'),
    shell('find -exec', 'find . -maxdepth 1 -name README.md -exec touch found \\;', 'found'),
    shell('find -delete', 'find . -name deleted.txt -delete', 'deleted.txt'),
    shell('sort -o', 'sort -o sorted README.md', 'sorted'),
    shell('awk', `awk 'BEGIN { print "x" > "awked" }'`, 'awked'),
    shell('an interpreter', `node -e "require('fs').writeFileSync('noded','')"`, 'noded'),
    shell('sh -c', "sh -c 'touch inner'", 'inner'),
    shell('eval', 'eval "touch evaluated"', 'evaluated'),
    shell('substitution', 'echo "$(touch substituted)"', 'substituted'),
    shell('process substitution', 'cat <(touch processed)', 'processed'),
    shell('here-string', "bash <<< 'touch stringed'", 'stringed'),
    shell('xargs', 'echo argued | xargs touch', 'argued'),
    shell('env', 'env FOO=1 touch enved', 'enved'),
    shell('trap', "trap 'touch trapped' EXIT; true", 'trapped'),
    shell('function', 'f() { touch functioned; }; f', 'functioned'),
    shell('variable', 'x=touch; $x variable', 'variable'),
    shell('chain', 'ls && touch chained', 'chained'),
    shell('&', '(touch forked-off) & wait', 'forked-off'),
    shell('git commit', 'git commit -q --allow-empty -m x', '.git/logs/HEAD'),
    shell('git config', 'git config a.b c', '.git/config'),
    shell('git branch', 'git branch other', '.git/refs/heads/other'),
    shell('git --output', 'git log --output=logged', 'logged'),
    tool('Bash: in the home', bash('touch ~/by-home'), join(repo.home, 'by-home')),
    tool('Bash: in the temporary folder', bash('touch "$TMPDIR/by-tmp"'), join(repo.tmp, 'by-tmp')),
    tool(
      'Bash: a request',
      bash(`exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET /request HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`),
      'request',
    ),
    tool(
      'Bash in the background',
      bash('touch backgrounded', { run_in_background: true }),
      here('backgrounded'),
    ),
    tool(
      'PreToolUse with updatedInput',
      bash('true # swap PreToolUse swapped-before'),
      here('swapped-before'),
    ),
    tool('a server', use('mcp__toucher__touch', { path: here('by-server') }), here('by-server')),
    tool('an inline command of a skill', use('SkillTool', { skill: 'inline' }), here('by-skill')),
    tool('a skill that allows', use('SkillTool', { skill: 'loosen' }), ''),
    shell('what the skill allowed', 'touch loosened', 'loosened'),
    tool('a forked skill', use('SkillTool', { skill: 'forked' }), here('by-forked-skill')),
    tool('an agent', agent('general-purpose', 'by-agent'), here('by-agent')),
    tool('an agent in a looser mode', agent('loose', 'by-loose-agent'), here('by-loose-agent')),
    tool(
      'an agent in the background',
      agent('loose', 'by-late-agent', { run_in_background: true }),
      here('by-late-agent'),
    ),
    tool(
      'an agent in a worktree',
      agent('loose', 'by-far-agent', { isolation: 'worktree' }),
      here('.coppice/worktrees'),
    ),
    tool('a worktree', use('EnterWorktreeTool', { name: 'mine' }), here('.git/refs/heads/worktree-mine')),
  ];
};

const agent = (type: string, mark: string, more: object = {}): Block =>
  use('AgentTool', { prompt: `Do: ${mark}`, description: 'Tries to do it', subagent_type: type, ...more });

export const layGround = async (repo: TempRepo): Promise<void> => {
  for (const name of ['edit', 'edit2', 'removed', 'moved', 'mode', 'sed', 'deleted'])
    await repo.write(`${name}.txt`, 'one\n');
  await repo.write(
    'n.ipynb',
    JSON.stringify({
      cells: [
        { cell_type: 'code', id: 'a', source: 'one', metadata: {}, outputs: [], execution_count: null },
      ],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    }),
  );
  await repo.write(join(repo.root, 'beyond/kept'), '');
  const { symlink } = await import('node:fs/promises');
  await symlink(join(repo.root, 'beyond'), join(repo.path, 'link'));
  await repo.write(join(repo.state, 'plans/kept.md'), '');
  await repo.git('add', '-A');
  await repo.git('commit', '-qm', 'Ground');
};

/** Everything below a folder by path: kind, mode, content. `skip` names folders of our own. */
export const snapshot = (root: string, skip: (path: string) => boolean): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (skip(path)) continue;
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      const what = stats.isSymbolicLink()
        ? `link ${readlinkSync(path)}`
        : stats.isDirectory()
          ? 'folder'
          : stats.isFile()
            ? createHash('sha256').update(readFileSync(path)).digest('hex')
            : 'other';
      found.set(relative(root, path), `${mode} ${what}`);
      if (stats.isDirectory()) walk(path);
    }
  };
  walk(root);
  return found;
};
