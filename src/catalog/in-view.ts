import { relative } from 'node:path';
import picomatch from 'picomatch';
import type { SkillInfo } from '../contract/skill.ts';

/** Skills with `paths` come up when a file they are about was touched; the others always. Files are absolute. */
export const inView = (
  skills: readonly SkillInfo[],
  files: readonly string[],
  project: string,
): readonly SkillInfo[] => {
  const names = files.map((file) => relative(project, file));
  return skills.filter((skill) => {
    if (skill.paths.length === 0) return true;
    const globs = skill.paths.map((glob) => (glob.includes('/') ? glob : `**/${glob}`));
    const matches = picomatch(globs, { dot: true });
    return names.some((name) => matches(name));
  });
};
