/** What a person sees of a result. Text in it is untrusted: front-ends sanitise. */
export type Display =
  /** One line of summary and, folded, the whole. */
  | {
      readonly kind: 'text';
      readonly summary?: string;
      readonly body: string;
      readonly failed?: boolean;
      /** Words of a person: lines are broken, not cut. */
      readonly prose?: boolean;
    }
  /** A unified patch (without file header) of one file. */
  | {
      readonly kind: 'diff';
      readonly path: string;
      readonly patch: string;
      readonly added: number;
      readonly removed: number;
      readonly created?: boolean;
    }
  | { readonly kind: 'code'; readonly path: string; readonly summary?: string; readonly body: string }
  | { readonly kind: 'markdown'; readonly summary?: string; readonly body: string }
  /** A plan, Markdown: named by its title, its steps shown beside what became of it. */
  | { readonly kind: 'plan'; readonly summary: string; readonly title: string; readonly body: string };
