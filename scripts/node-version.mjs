/** Node majors older than this cannot build, test or run Coppice. */
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `This needs Node ${NEEDED} or newer and runs on ${process.version}. "npm ci" brings the right one along ` +
      'unless install scripts are switched off: run it again without --ignore-scripts, then use the npm scripts.\n',
  );
  process.exit(1);
}
