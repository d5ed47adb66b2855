/**
 * The platform's `Headers`, as far as requests to a model need them. The platform's own bring its whole HTTP client
 * along, which costs a fifth of the time that a short run takes; the build puts these into the library as well.
 * Throws a TypeError for a name or value that cannot be sent.
 */
export class PlainHeaders implements Headers {
  readonly #values = new Map<string, string>();

  constructor(init?: HeadersInit) {
    if (init === undefined) return;
    const pairs = Symbol.iterator in init ? init : Object.entries(init);
    for (const [name, value] of pairs) if (name !== undefined) this.append(name, String(value));
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: string): void {
    // As a whole, not by import: naming its exports one by one would load the platform's client after all.
    const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
    const trimmed = value.replaceAll(/^[\t\r\n ]+|[\t\r\n ]+$/g, '');
    validateHeaderName(name);
    validateHeaderValue(name, trimmed);
    this.#values.set(name.toLowerCase(), trimmed);
  }

  /** Cookies are of no use to a model. */
  getSetCookie(): string[] {
    return [];
  }

  forEach(each: (value: string, name: string, parent: Headers) => void): void {
    for (const [name, value] of this.#values) each(value, name, this);
  }

  entries() {
    return this.#values.entries();
  }

  keys() {
    return this.#values.keys();
  }

  values() {
    return this.#values.values();
  }

  [Symbol.iterator]() {
    return this.#values.entries();
  }
}
