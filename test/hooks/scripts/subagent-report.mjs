#!/usr/bin/env node
/** SubagentStop: keeps a report of each sub-agent; sends a verifier back that did not say what it found. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const input = JSON.parse(readFileSync(0, 'utf8'));
const project = process.env.CLAUDE_PROJECT_DIR ?? input.cwd;
const folder = join(project, '.claude', 'reports');
mkdirSync(folder, { recursive: true });

const countTools = (path) => {
  if (!path || !existsSync(path)) return 0;
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"tool_use"')).length;
};

const report = {
  agent: input.agent_id,
  type: input.agent_type,
  tools: countTools(input.agent_transcript_path),
  words: (input.last_assistant_message ?? '').split(/\s+/).filter(Boolean).length,
};
appendFileSync(join(folder, 'agents.jsonl'), `${JSON.stringify(report)}\n`);

const mustConclude = /review|verif/i.test(report.type ?? '');
const concluded = /\b(PASS|FAIL)\b/.test(input.last_assistant_message ?? '');

if (mustConclude && !concluded && !input.stop_hook_active) {
  console.log(
    JSON.stringify(
      {
        decision: 'block',
        reason: 'End with one line that says PASS or FAIL, and why.',
        systemMessage: `${report.type} did not conclude`,
      },
      null,
      2,
    ),
  );
} else {
  console.log('{}');
}
