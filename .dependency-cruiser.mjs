import { MAY_IMPORT, OWNER } from './test/architecture/rooms.ts';

const never = (name, from, to) => ({ name, severity: 'error', from, to });

const looksDown = ([room, below]) =>
  never(
    `${room}-looks-down`,
    { path: `^src/${room}/` },
    { path: '^src/', pathNot: `^src/(${[room, ...below].join('|')})/` },
  );

const hasOneOwner = ([library, room]) =>
  never(
    `${library}-only-in-${room}`,
    { path: '^src/', pathNot: `^src/${room}/` },
    { path: `(^|node_modules/)${library}(/|$)`, dependencyTypesNot: ['type-only'] },
  );

export default {
  forbidden: [
    never('no-circles', {}, { circular: true }),
    never('nothing-unresolved', {}, { couldNotResolve: true }),
    never('src-never-imports-test', { path: '^src/' }, { path: '^test/' }),
    ...Object.entries(MAY_IMPORT).map(looksDown),
    never(
      'fronts-stand-alone',
      { path: '^src/front/([^/]+)/' },
      { path: '^src/front/', pathNot: '^src/front/$1/' },
    ),
    ...Object.entries(OWNER).map(hasOneOwner),
  ],
  options: {
    // Type-only imports count.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Without these, packages that only have `exports` are silently not resolved and their owner rule never fires.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
