import type { ToolOutcome } from './tool.ts';

/** Reads what is no plain text for the Read tool: images, PDF documents, notebooks. Owner: media/. */
export interface MediaReader {
  /** By name and first bytes; false leaves the file to the text reader. */
  accepts(path: string, head: Uint8Array): boolean;
  /** Read records what was seen of the file; effects of this outcome are added to that. */
  read(file: MediaFile): Promise<ToolOutcome>;
}

export interface MediaFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Pages of a document as the model asked for them, such as `1-5`. */
  readonly pages?: string;
  /** Whether the model that asked can be shown documents as they are. */
  readonly documents: boolean;
  readonly signal: AbortSignal;
}
