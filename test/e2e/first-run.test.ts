import { expect, test } from 'vitest';
import { tempRepo } from '../support/repo.ts';
import { openTerminal } from '../support/terminal.ts';

const size = { columns: 80, rows: 24 };

test('without a key each start asks, whole at 80 columns, with the last choice under the cursor', async () => {
  await using repo = await tempRepo();
  {
    await using on = await openTerminal(repo, ['--trust'], size);
    await on.waitFor(/❯ Paste an Anthropic API key/);
    const shown = on.screen().join('\n').replace(/\s+/g, ' ');
    expect(shown).toContain('offline, no language model: shows how it works');
    expect(shown).toContain('--practice skips it.');
    expect(shown).not.toContain('⌕');
    on.key('up');
    await on.waitFor(/❯ Practice model/);
    on.key('enter');
    await on.waitFor('practice model');
    on.key('ctrl+d');
    on.key('ctrl+d');
    await on.exit();
  }
  await using again = await openTerminal(repo, ['--trust'], size);
  await again.waitFor(/❯ Practice model/);
  again.key('enter');
  await again.waitFor('practice model');
});
