import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fileShelf } from '../../src/store/task-files.ts';
import { memoryShelf } from '../../src/store/task-memory.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { tempHome } from './entries.ts';
import { conforms } from './tasks-conformance.ts';

conforms('memory', async () => ({
  store: taskStore(memoryShelf()),
  [Symbol.asyncDispose]: async () => undefined,
}));

conforms('files', async () => {
  const temp = await tempHome();
  return {
    store: taskStore(fileShelf(temp.home)),
    [Symbol.asyncDispose]: async () => {
      const left = await readdir(join(temp.home, 'tasks', 'list')).catch(() => []);
      expect(left.filter((name) => !/^(\d+\.json|\.highwatermark)$/.test(name))).toEqual([]);
      await temp[Symbol.asyncDispose]();
    },
  };
});
