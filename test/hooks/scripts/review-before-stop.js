#!/usr/bin/env node
/** Stop: reads the transcript; where code was written and nothing was run, the agent is sent back once. */
const fs = require('node:fs');

const WRITERS = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

function readLines(file) {
  try {
    return fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Tools that were used since the last thing a person typed. */
function toolsSinceLastPrompt(file) {
  let used = [];
  for (const line of readLines(file)) {
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    const content = entry.message?.content || [];
    if (entry.type === 'user' && typeof content === 'string') used = [];
    if (entry.type !== 'assistant' || !Array.isArray(content)) continue;
    for (const block of content) if (block.type === 'tool_use') used.push(block);
  }
  return used;
}

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const event = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (event.stop_hook_active) {
    console.log(JSON.stringify({}));
    return;
  }
  const used = toolsSinceLastPrompt(event.transcript_path);
  const wrote = used.filter((block) => WRITERS.has(block.name));
  const ran = used.some((block) => block.name === 'Bash' && /test|check|lint/.test(block.input.command));
  if (wrote.length > 0 && !ran) {
    const files = [...new Set(wrote.map((block) => block.input.file_path))];
    console.error(`You changed ${files.join(', ')} and ran no test. Run the tests, then finish.`);
    process.exitCode = 2;
    return;
  }
  console.log('{}');
}

main().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
