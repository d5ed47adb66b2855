import changes from '../../CHANGELOG.md';
import type { SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';

/** The newest sections of the changelog that hold anything. */
const newest = (whole: string, count: number): string =>
  whole
    .split(/^(?=## )/m)
    .slice(1)
    .filter((section) => section.split('\n').slice(1).join('').trim() !== '')
    .slice(0, count)
    .join('\n')
    .trim();

const SECTIONS = 3;

/** `/release-notes`: what changed in the last versions. */
export const releaseNotesCommand = (version: string): SlashCommand => ({
  name: 'release-notes',
  description: 'What changed in the last versions',
  source: 'builtin',
  instant: true,
  async run(_args, { screen }) {
    const page = `This is Coppice ${version}.\n\n${newest(changes, SECTIONS)}`;
    if (!screen.interactive) return text(page);
    await screen.panel('Release notes', page);
    return { kind: 'done' };
  },
});
