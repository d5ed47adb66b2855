/** Apart from `highlight.ts` so that the bundle carries the core alone; grammars come one by one. */
import { createLowlight } from 'lowlight';

export const emptyLowlight = () => createLowlight();
