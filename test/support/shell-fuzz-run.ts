import { spawnSync } from 'node:child_process';
import { readScript } from '../../src/permission/bash-units.ts';
import { bash } from './judging.ts';
import { makeScript, makeWord, seeded } from './shell-fuzz.ts';
import type { Stubs } from './shell-stubs.ts';

/** What came of judging and running generated scripts. */
export interface FuzzReport {
  /** Allowed, and the forbidden command ran: a fault of the engine, each one. */
  readonly wrong: readonly string[];
  readonly allowed: number;
  /** Of a sample that was not allowed, those in which the forbidden command really runs. */
  readonly caught: number;
}

/** Judges scripts from a seed under two sets of rules and runs those that either allows. */
export const fuzzScripts = (seed: number, scripts: number, stubs: Stubs): FuzzReport => {
  const random = seeded(seed);
  const here = { home: '/home/u', cwd: stubs.project, project: stubs.project };
  const wrong: string[] = [];
  let allowed = 0;
  let sampled = 0;
  let caught = 0;
  for (let i = 0; i < scripts; i++) {
    const script = makeScript(random);
    const named = bash(script, { allow: ['Bash(good *)', 'Bash(echo *)', 'Bash(cat *)'] }, here);
    const open = bash(script, { allow: ['Bash'], deny: ['Bash(evil *)'] }, here);
    if (named.decision === 'allow' || open.decision === 'allow') {
      allowed++;
      if (stubs.run(script).has('evil')) wrong.push(script);
    } else if (sampled < 60 && i % 7 === 0) {
      sampled++;
      if (stubs.run(script).has('evil')) caught++;
    }
  }
  return { wrong, allowed, caught };
};

/** Words that the engine calls fixed, against what bash makes of them. */
export const fuzzWords = (
  seed: number,
  words: number,
): { readonly wrong: readonly string[]; readonly compared: number } => {
  const random = seeded(seed);
  const wrong: string[] = [];
  let compared = 0;
  for (let i = 0; i < words; i++) {
    const text = makeWord(random);
    const { units, problems } = readScript(`p ${text}`, ['/'], '/home/u');
    const command = units[0]?.command;
    const args = command?.words.slice(1) ?? [];
    const plain = units.length === 1 && problems.length === 0 && command?.redirects.length === 0;
    if (!plain || args.some(({ kind }) => kind !== 'fixed')) continue;
    compared++;
    const script = `p() { printf '%s\\0' "$#" "$@"; }; p ${text}`;
    const { stdout } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', script], {
      cwd: '/',
      env: { PATH: '/nonexistent', HOME: '/home/u', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    const expected = [String(args.length), ...args.map(({ pattern }) => pattern)];
    if (stdout !== expected.map((one) => `${one}\0`).join('')) wrong.push(text);
  }
  return { wrong, compared };
};
