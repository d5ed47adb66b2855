#!/usr/bin/env node
/** TaskCreated and TaskCompleted: tasks have a form, and a task is done only when its check list is. */
const fs = require('node:fs');
const path = require('node:path');

const fail = (text) => {
  process.stderr.write(`${text}\n`);
  process.exit(2);
};

const readStdin = () =>
  new Promise((resolve) => {
    let text = '';
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (chunk) => (text += chunk));
    process.stdin.on('end', () => resolve(text));
  });

const openItems = (file) => {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- [ ]'))
    .map((line) => line.slice(6));
};

(async () => {
  const event = JSON.parse(await readStdin());
  const checklist = path.join(event.cwd, 'checks', `${event.task_id}.md`);
  if (event.hook_event_name === 'TaskCreated') {
    if (event.task_subject.length < 5) fail('The subject of a task says what is to be done.');
    return;
  }
  if (event.hook_event_name === 'TaskCompleted') {
    const open = openItems(checklist);
    if (open.length > 0) fail(`Task ${event.task_id} has open checks: ${open.join('; ')}`);
    console.log(JSON.stringify({ systemMessage: `Task ${event.task_id} is done.` }));
    return;
  }
  console.log(JSON.stringify({}));
})();
