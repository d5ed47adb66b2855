import { askProgram } from '../shell/ask-program.ts';
import { definedOnly } from './variables.ts';
import type { World } from './world.ts';

/** Runs `apiKeyHelper`; rejects with a sentence that names the setting, never with what was printed. */
export const keyProgram =
  (world: World) =>
  async (command: string): Promise<string> => {
    const answer = await askProgram({
      command,
      cwd: world.homes.user ?? '/',
      env: definedOnly(world.env()),
      timeoutMs: 30_000,
    });
    if ('failed' in answer) throw new Error(`apiKeyHelper: ${answer.failed}`);
    const key = answer.output.trim();
    if (key === '') throw new Error('apiKeyHelper printed nothing.');
    return key;
  };
