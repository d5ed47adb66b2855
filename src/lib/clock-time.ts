/** The time of day where the person is, of an ISO 8601 time: `14:05:09`. */
export const clockTime = (iso: string): string => {
  const at = new Date(iso);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
};
