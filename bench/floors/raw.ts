/** The least that takes keys: raw mode and an echo. */
process.stdin.setRawMode(true);
process.stdout.write('\x1b[2m>\x1b[0m ');
process.stdin.on('data', (keys) => process.stdout.write(keys));
