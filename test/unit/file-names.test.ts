import { describe, expect, test } from 'vitest';
import { fileNames } from '../../src/app/file-names.ts';

const files = [
  'README.md',
  'src/cart.ts',
  'src/checkout/cart-parser.ts',
  'src/checkout/total.ts',
  'test/cart.test.ts',
];
const over = (paths: readonly string[]) =>
  fileNames(
    async () => paths,
    () => '/',
  );

describe('names of files', () => {
  test.each([
    ['cart', ['src/cart.ts', 'test/cart.test.ts', 'src/checkout/cart-parser.ts']],
    ['CART', ['src/cart.ts']],
    ['checkout', ['src/checkout/', 'src/checkout/total.ts', 'src/checkout/cart-parser.ts']],
    ['src', ['src/', 'src/cart.ts']],
    ['cprs', ['src/checkout/cart-parser.ts']],
    ['src/chtot', ['src/checkout/total.ts']],
    ['zzz', []],
  ])('%s', async (query, expected) => {
    expect((await over(files).best(query, 20)).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  test('what fits equally well stands by name, in whatever order it was found', async () => {
    const found = ['b/x3.ts', 'a/x2.ts', 'a/x1.ts', 'b/x1.ts'];
    expect(await over(found).best('x', 3)).toEqual(['a/x1.ts', 'a/x2.ts', 'b/x1.ts']);
    expect(await over(found.toReversed()).best('x', 3)).toEqual(['a/x1.ts', 'a/x2.ts', 'b/x1.ts']);
  });

  test('all folders on the way are there, the nearest first while nothing is typed', async () => {
    expect(await over(['a/b/c/d.txt', 'z.txt']).best('', 3)).toEqual(['z.txt', 'a/', 'a/b/']);
  });

  test('a longer query looks among what fitted, a shorter one everywhere, with the same answers', async () => {
    const names = over(files);
    const fresh = (query: string) => over(files).best(query, 20);
    for (const query of ['c', 'ca', 'car', 'cart-', 'ca', 'to'])
      expect(await names.best(query, 20)).toEqual(await fresh(query));
  });

  test('an old list answers while a new one is read', async () => {
    let now = 0;
    let listed = ['one.ts'];
    const { promise, resolve } = Promise.withResolvers<void>();
    let reads = 0;
    const names = fileNames(
      async () => {
        if (++reads === 2) await promise;
        return listed;
      },
      () => '/',
      () => now,
    );
    expect(await names.best('', 5)).toEqual(['one.ts']);
    now = 60_000;
    listed = ['two.ts'];
    expect(await names.best('', 5)).toEqual(['one.ts']);
    resolve();
    await new Promise((done) => setImmediate(done));
    expect(await names.best('', 5)).toEqual(['two.ts']);
  });

  test('of 100,000 files a query overtaken by another answers nothing', async () => {
    const many = over(Array.from({ length: 100_000 }, (_, at) => `pack${at % 100}/file-${at}.ts`));
    await many.best('x', 1);
    const [first, second] = await Promise.all([many.best('file-9', 5), many.best('file-99999', 5)]);
    expect([first, second]).toEqual([[], ['pack99/file-99999.ts']]);
  });
});
