/** A model's name as people say it: `claude-sonnet-5-5` is Sonnet 5.5; what is named otherwise keeps its id. */
export const displayName = (id: string): string => {
  const found = patterns.map((pattern) => pattern.exec(id)?.groups).find((groups) => groups);
  if (!found) return id;
  const { family = '', major = '', minor } = found;
  return `${family.charAt(0).toUpperCase()}${family.slice(1)} ${minor === undefined ? major : `${major}.${minor}`}`;
};

/** Family first, as now, and last, as before. */
const patterns: readonly RegExp[] = [
  /^claude-(?<family>[a-z]+)-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?(?:-\d{8}|-latest)?(?:\[1m\])?$/,
  /^claude-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?-(?<family>[a-z]+)(?:-\d{8}|-latest)?$/,
];
