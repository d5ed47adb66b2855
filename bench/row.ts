import type { Model } from './model.ts';
import type { Place } from './place.ts';

/** The bundled floors, by name. */
export interface Floors {
  readonly raw: string;
  readonly ink: string;
  readonly sdk: string;
  readonly spawn: string;
}

/** What the measurements share. */
export interface Bench {
  readonly place: Place;
  readonly model: Model;
  readonly floors: Floors;
  /** The command that runs Coppice. */
  readonly coppice: readonly string[];
  readonly node: string;
  /** Few rounds, to see whether it runs. */
  readonly quick: boolean;
}

/** One line of the table. Figures are medians in `unit`. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly floors: Readonly<Record<string, number | undefined>>;
  readonly ours: number;
  /** What must be reached, and what is aimed at: a factor on the first floor, so much more, or a figure of its own. */
  readonly foundation?: Goal;
  readonly target?: Goal;
}

export type Goal = { readonly times: number } | { readonly plus: number } | { readonly at: number };

export interface Measurement {
  readonly name: string;
  /** What it needs besides, in words, for the list of rows. */
  readonly about: string;
  run(bench: Bench): Promise<readonly Row[]>;
}

const firstFloor = (row: Row): number | undefined => Object.values(row.floors)[0];

/** A goal as a figure in the row's unit; undefined where its floor is missing. */
export const figureOf = (row: Row, goal: Goal | undefined): number | undefined => {
  if (!goal) return undefined;
  if ('at' in goal) return goal.at;
  const floor = firstFloor(row);
  if (floor === undefined) return undefined;
  return 'plus' in goal ? floor + goal.plus : floor * goal.times;
};

export const ratioOf = (row: Row): number | undefined => {
  const floor = firstFloor(row);
  return floor ? row.ours / floor : undefined;
};
