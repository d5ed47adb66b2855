/** What the model says in the course of a working day, in the forms that models use. */

export const tour = `A key travels through four rooms before it becomes an answer:

1. **The first frame.** \`src/app/entry.ts\` draws the prompt by hand and keeps what is typed, so that nothing is lost while the rest is loaded from disk.
2. **The screen.** \`src/front/ui/prompt-keys.ts\` turns bytes into edits of a buffer; Enter calls \`submit\`.
3. **The mailbox.** The prompt is on disk *before* anything happens with it.
4. **The loop**, which samples, runs tools and records.

The heart of it is short:

\`\`\`ts
for (;;) {
  const reply = await sample(state);          // one request to the model
  record({ type: 'assistant', ...reply });
  if (reply.calls.length === 0) break;        // nothing to do: the turn ends
  record(await execute(reply.calls));         // results in the order of the calls
}
\`\`\`

You can watch it from a shell:

\`\`\`bash
coppice -p "say hello" --output-format stream-json --verbose | jq -r .type | sort | uniq -c
\`\`\`

and from Python, if you prefer:

\`\`\`python
def kinds(path: str) -> Counter[str]:
    """Count the entries of a transcript by kind."""
    with open(path, encoding="utf-8") as lines:
        return Counter(json.loads(line)["type"] for line in lines)
\`\`\`

The settings that matter here:

\`\`\`json
{ "model": "medium", "autoCompactEnabled": true, "permissions": { "allow": ["Bash(npm run *)"] } }
\`\`\`

> Nothing in the product knows that it is tested: tests bring a model server, a temporary home and a repository.

See [the architecture page](https://example.com/architecture) for the whole story.`;

export const table = `The five largest rooms, counted by lines:

| room | files | lines | what it owns |
|:-----|------:|------:|:-------------|
| \`app/\` | 146 | 9,902 | the command line, composition, and what happens around a conversation |
| \`front/\` | 68 | 7,178 | the screen, machine-readable output, plain lines |
| \`permission/\` | 66 | 5,650 | the pure rule engine on a real parse tree |
| \`tools/\` | 62 | 4,226 | one file a tool |
| \`store/\` | 38 | 4,143 | transcripts, mailboxes, tasks, teams |

Two things stand out:

- \`app/\` is the largest by far, which is the price of composition without a container.
  - Half of it is subcommands and their output.
  - The rest could be split along the lines of \`house.ts\`.
- \`permission/\` has no I/O at all.

---

**Next step**: shall I look for files that nobody imports?`;

export const wide = `了解しました。プロンプトの幅は**全角文字**を 2 桁として数えます。

| 言語 | 例 | 幅 |
|---|---|--:|
| 日本語 | こんにちは | 10 |
| 한국어 | 안녕하세요 | 10 |
| emoji | 👩‍💻 🇩🇪 ✅ | 8 |
| Ελληνικά | καλημέρα | 8 |

- naïve café — “curly quotes” … and a hyphen-minus
- 長い行は折り返されます：ターミナルの幅が狭いときでも、文字の途中で切れることはありません。句読点も正しく扱われます。

\`\`\`rust
fn width(text: &str) -> usize { text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum() }
\`\`\``;

export const plan = `# Suggest nothing for one letter

A single letter is near to everything, so \`nearNames('x', …)\` answers with noise.

1. Return early in \`nearNames\` when the wish is shorter than two letters.
2. Add a case to \`test/near-names.test.mjs\`.
3. Run the tests.

## Files

- src/lib/near-names.ts
- test/near-names.test.mjs
`;

export const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearNames } from '../src/lib/near-names.ts';

test('a swapped pair of letters is one slip', () => {
  assert.deepEqual(nearNames('sttaus', ['status', 'start']), ['status']);
});

test('a part of a name is near', () => {
  assert.deepEqual(nearNames('status', ['git:status', 'stats']), ['stats', 'git:status']);
});
`;

export const summary = `The person works on Coppice. So far:
- asked how a key becomes an answer (tour given),
- mended \`nearNames\` so that short wishes get suggestions, with tests in test/near-names.test.mjs,
- planned and carried out: one letter suggests nothing.
Open: look for files that nobody imports.`;
