const LEAVES = [
  ...[
    'permission',
    'model',
    'store',
    'git',
    'shell',
    'watch',
    'catalog',
    'commands',
    'tools',
    'front',
    'loop',
  ],
  ...['servers', 'fetch', 'sandbox', 'checkpoints', 'practice', 'media', 'search'],
];

/** What each room of src/ may import beside itself. A room that is not named here may not exist. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: [],
  ...Object.fromEntries(LEAVES.map((room) => [room, ['contract', 'lib']])),
  settings: ['contract', 'lib', 'permission'],
  hooks: ['contract', 'lib', 'permission'],
  agents: ['contract', 'lib', 'loop'],
  // What could run is read as those read it who run it.
  trust: ['contract', 'lib', 'settings', 'hooks', 'servers', 'catalog'],
};

/** The room that wires all the others. */
export const TOP = 'app';

/** The one room that knows a library; everybody else knows a type in contract/. */
export const OWNER: Readonly<Record<string, string>> = {
  '@anthropic-ai/sdk': 'model',
  'simple-git': 'git',
  execa: 'shell',
  chokidar: 'watch',
  ink: 'front/ui',
  react: 'front/ui',
  marked: 'front/ui',
  lowlight: 'front/ui',
  commander: 'app',
  unbash: 'permission',
  undici: 'fetch',
  linkedom: 'fetch',
  '@mozilla/readability': 'fetch',
  turndown: 'fetch',
  '@modelcontextprotocol/sdk': 'servers',
  '@anthropic-ai/sandbox-runtime': 'sandbox',
  unpdf: 'media',
  'pdf-lib': 'media',
  '@cf-wasm/photon': 'media',
  '@vscode/ripgrep': 'search',
  yaml: 'lib',
};
