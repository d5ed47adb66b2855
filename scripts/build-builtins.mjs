/**
 * `import { request } from 'node:http'` makes Node copy every export of that module, lazy ones included, which loads
 * its whole HTTP client, streams and more: a fifth of the time of a short run. Asking for the module itself does not.
 * Only statements at the head of a bundled file are changed.
 */
export function directBuiltins(text) {
  return text.replaceAll(
    /(?<=^|[;}\n])import ?(?:([\w$]+)|\* ?as ([\w$]+))?,?(?:\{([^}]*)\})? ?from ?"(node:[\w/]+)";/g,
    (_, whole, star, names, builtin) => {
      const module = `process.getBuiltinModule("${builtin}")`;
      const all = whole ?? star;
      const some = names === undefined ? '' : `{${names.replaceAll(/ as /g, ':')}}=`;
      if (all && some) return `const ${all}=${module},${some}${all};`;
      return `const ${all ? `${all}=` : some}${module};`;
    },
  );
}
