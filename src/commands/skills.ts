import type { Definition } from '../contract/catalog.ts';
import type { CommandResult, SlashCommand } from '../contract/command.ts';
import type { SkillInfo, Skills } from '../contract/skill.ts';
import { done, refused, table, text } from './answer.ts';

export interface SkillShelf {
  readonly skills: Skills;
  definitions(): readonly Definition[];
  /** Reads all again; sentences about what changed. */
  reload(): Promise<readonly string[]>;
  /** The text of a file. */
  read(path: string): Promise<string | undefined>;
}

const forModel = (skill: SkillInfo): string =>
  skill.forModel === 'hidden' ? 'no' : skill.forModel === 'name only' ? 'by name' : 'yes';

/** More lines than this are no overview. */
const MOST = 200;

const size = (bytes: number): string => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`);

/** Who may use it, where that is not everybody. */
const limits = (skill: SkillInfo): readonly string[] => [
  ...(skill.forModel === 'hidden' ? ['only you'] : []),
  ...(skill.forModel === 'name only' ? ['the model knows its name alone'] : []),
  ...(skill.forPerson ? [] : ['only the model']),
];

const nameOf = (skill: SkillInfo): string => (skill.forPerson ? `\`/${skill.slash}\`` : `**${skill.slash}**`);

const saidOf = (skill: SkillInfo): string =>
  [
    ...(skill.bytes === 0 ? [] : [size(skill.bytes)]),
    ...limits(skill),
    skill.description.replace(/\s+/g, ' ').trim(),
  ].join(' · ');

type Rows = (skills: readonly SkillInfo[]) => string;

const asList: Rows = (skills) => skills.map((one) => `- ${nameOf(one)} · ${saidOf(one)}`).join('\n');
/** For a page, which cuts rows where the screen ends. */
const asTable: Rows = (skills) =>
  table(
    ['', ''],
    skills.map((one) => [nameOf(one), saidOf(one)]),
  );

const sourceOf = (skill: SkillInfo): string =>
  skill.kind === 'prompt' ? `tool server ${skill.source}` : skill.source;

const bySource = (all: readonly SkillInfo[], rows: Rows): string =>
  [...Map.groupBy(all, sourceOf)].map(([source, skills]) => `### ${source}\n\n${rows(skills)}`).join('\n\n');

const list = (all: readonly SkillInfo[], rows: Rows = asList): string =>
  all.length <= MOST
    ? bySource(all, rows)
    : `${bySource(all.slice(0, MOST), rows)}\n\nand ${all.length - MOST} more; \`/skills WORD\` shows those with the word.`;

const whole = (shelf: SkillShelf, rows: Rows): string => {
  const all = shelf.skills.list();
  if (all.length === 0)
    return 'There are no skills yet. `/create-skill` makes one; folders with a SKILL.md under `.coppice/skills` and `~/.coppice/skills` are read.';
  const wrong = shelf.definitions().filter((one) => one.kind !== 'agent' && one.problems.length > 0).length;
  const note =
    wrong > 0
      ? `\n\n${wrong === 1 ? 'One file has' : `${wrong} files have`} problems; \`coppice doctor\` names them.`
      : '';
  return `${list(all, rows)}\n\nYou and the model may use each that does not say otherwise. \`/skills NAME\` shows one.${note}`;
};

const facts = (skill: SkillInfo, definition: Definition | undefined): readonly (readonly string[])[] => [
  ['file', skill.path],
  ['from', sourceOf(skill)],
  ['model may use it', forModel(skill)],
  ...(skill.argumentHint ? [['arguments', skill.argumentHint]] : []),
  ...(skill.fork ? [['runs in', `an agent of type ${skill.fork.agent}`]] : []),
  ...(skill.allowedTools.length > 0 ? [['allows', skill.allowedTools.join(', ')]] : []),
  ...(skill.model ? [['model', skill.model]] : []),
  ...(skill.paths.length > 0 ? [['for files', skill.paths.join(', ')]] : []),
  ...(definition?.repairs ?? []).map((one) => ['repaired', one]),
  ...(definition?.problems ?? []).map((one) => ['problem', one]),
];

const one = async (shelf: SkillShelf, name: string): Promise<CommandResult> => {
  const skill = shelf.skills.find(name);
  const word = name.toLowerCase();
  const holding = shelf.skills
    .list()
    .filter((other) => `${other.slash} ${other.description}`.toLowerCase().includes(word));
  if (!skill && holding.length > 0) return text(list(holding));
  if (!skill) {
    const near = shelf.skills.nearest(name);
    return refused(
      `There is no skill "${name}".${near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''}`,
    );
  }
  const definition = shelf.definitions().find((found) => found.path === skill.path);
  const body = skill.kind === 'prompt' ? undefined : await shelf.read(skill.path);
  return text(
    [
      `## /${skill.slash}`,
      skill.description,
      table(['', ''], facts(skill, definition)),
      ...(body ? ['---', body] : []),
    ].join('\n\n'),
  );
};

/** `/skills [NAME|WORD|reload]`: the skills there are, with source, size and whether the model may use them (spec 2.2). */
export const skillsCommand = (shelf: () => SkillShelf): SlashCommand => ({
  name: 'skills',
  aliases: ['reload-skills'],
  description: 'Skills: where they come from and who may use them',
  argumentHint: '[name|reload]',
  source: 'builtin',
  instant: true,
  complete: () => [
    'reload',
    ...shelf()
      .skills.list()
      .map((skill) => skill.slash),
  ],
  async run(args, { screen }) {
    const wish = args.trim();
    if (wish === '' && !screen.interactive) return text(whole(shelf(), asList));
    if (wish === '') {
      await screen.panel('Skills', whole(shelf(), asTable), 'cut');
      return done;
    }
    if (wish !== 'reload') return one(shelf(), wish);
    const changes = await shelf().reload();
    return text(changes.length > 0 ? changes.join('\n') : 'Nothing has changed.');
  },
});
