import type { KnipConfig } from 'knip';

/** Run as programs, by their path. */
const PROGRAMS = ['@modelcontextprotocol/server-everything', 'ccusage'];

const config: KnipConfig = {
  entry: [
    'src/app/{entry,main}.ts',
    'src/**/*.worker.ts',
    'scripts/*.{mjs,ts}',
    'test/support/{serve,demo-screen,tool-server,kill-at,kill-inside,other-clock}.ts',
    'bench/{run,list-once}.ts',
    'bench/floors/*.{ts,tsx}',
    'test/**/*.test.{ts,tsx}',
    // Started as processes of their own.
    'test/{e2e,long,stores}/*.ts',
  ],
  project: ['{src,test,bench}/**/*.{ts,tsx}', '{scripts,bench}/**/*.{mjs,ts}'],
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreDependencies: PROGRAMS,
  // Comes with every system that has pipes.
  ignoreBinaries: ['mkfifo', 'strace', 'mount', 'umount', 'openssl'],
};

export default config;
