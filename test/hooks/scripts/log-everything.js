#!/usr/bin/env node
/**
 * Any event: appends one line to a log and hands its input on unchanged, as hooks in chains do.
 * Runs on old versions of Node too.
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const LIMIT = 1024 * 1024;
const folder = process.env.HOOK_LOG_DIR || path.join(os.homedir(), '.claude', 'logs');

function summary(event) {
  const input = event.tool_input || {};
  switch (event.tool_name) {
    case 'Bash':
      return input.command;
    case 'Read':
    case 'Write':
    case 'Edit':
      return input.file_path;
    default:
      return event.prompt || event.message || event.source || '';
  }
}

function append(event) {
  fs.mkdirSync(folder, { recursive: true });
  const line = {
    at: new Date().toISOString(),
    event: event.hook_event_name,
    session: event.session_id,
    tool: event.tool_name || null,
    about: String(summary(event) || '').slice(0, 200),
  };
  fs.appendFileSync(path.join(folder, 'events.jsonl'), `${JSON.stringify(line)}\n`);
}

let data = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  if (data.length < LIMIT) data += chunk;
});
process.stdin.on('end', () => {
  try {
    append(JSON.parse(data));
  } catch (error) {
    console.error(`[log-everything] ${error.message}`);
  }
  console.log(data);
  process.exit(0);
});
