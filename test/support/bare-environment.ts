/** Whatever the person's own shell says about models, terminals and continuous integration stays outside the tests. */
const FOREIGN =
  /^(ANTHROPIC_|COPPICE_|CLAUDE_|GIT_(?!CONFIG_NOSYSTEM)|NO_COLOR$|FORCE_COLOR$|CI$|EDITOR$|VISUAL$|.*_proxy$)/i;

for (const name of Object.keys(process.env)) if (FOREIGN.test(name)) delete process.env[name];
