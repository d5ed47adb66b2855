/** WCAG contrast of two colours, 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [bright = 0, dark = 0] = [one, other].map(luminance).toSorted((a, b) => b - a);
  return (bright + 0.05) / (dark + 0.05);
};
const luminance = (colour: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
