/**
 * The syntax of one file: its nodes, and where each starts. Small enough to be kept, and of neither reader's library, so that
 * values and places are made the same way whoever read the text.
 */
/** Levels of nesting that a file may have. */
export const maxDepth = 100;

export type Node = Scalar | Sequence | Mapping | Alias;

export interface Scalar {
  readonly kind: 'scalar';
  /** Offset of its first character: a quote, or the indicator of a block. */
  readonly start: number;
  readonly style: 'plain' | 'quoted' | 'block';
  readonly value: null | boolean | number | string;
  /** The characters that the value was made from: `0x10` of 16; of a text, the text. */
  readonly written: string;
  readonly anchor?: string | undefined;
}

export interface Sequence {
  readonly kind: 'sequence';
  readonly start: number;
  readonly items: readonly Node[];
  readonly anchor?: string | undefined;
}

export interface Mapping {
  readonly kind: 'mapping';
  readonly start: number;
  /** In written order, keys that are written twice among them. */
  readonly entries: readonly Entry[];
  readonly anchor?: string | undefined;
}

export interface Entry {
  /** Of its key. */
  readonly start: number;
  /** Its key, always text, whatever it looks like. */
  readonly name: string;
  /** Whether the key stands without quotes. */
  readonly isPlain: boolean;
  /** Absent where not even a colon stands behind the key: `{ a }`. */
  readonly value?: Node | undefined;
}

export interface Alias {
  readonly kind: 'alias';
  readonly start: number;
  /** Of the anchor that it repeats. */
  readonly name: string;
}
