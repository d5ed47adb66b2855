export const nulSeparated = (text: string): readonly string[] =>
  text.split('\0').filter((part) => part !== '');
