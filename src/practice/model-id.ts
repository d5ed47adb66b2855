/** The id under which the practice model appears. */
export const PRACTICE_MODEL = 'practice';
