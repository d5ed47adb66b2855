declare const COPPICE_VERSION: string | undefined;

/** The version in package.json, written in by the build. */
export const VERSION = typeof COPPICE_VERSION === 'string' ? COPPICE_VERSION : '0.0.0-source';
