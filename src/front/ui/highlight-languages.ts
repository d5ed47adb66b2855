/** A file of its own, so that the bundle holds the common languages only. */
export { common, createLowlight } from 'lowlight';
