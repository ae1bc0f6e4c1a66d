/** What the scanner hands to the grammar. */
export const Kind = {
  streamEnd: 0,
  versionDirective: 1,
  tagDirective: 2,
  documentStart: 3,
  documentEnd: 4,
  blockSequenceStart: 5,
  blockMappingStart: 6,
  blockEnd: 7,
  flowSequenceStart: 8,
  flowSequenceEnd: 9,
  flowMappingStart: 10,
  flowMappingEnd: 11,
  blockEntry: 12,
  flowEntry: 13,
  key: 14,
  value: 15,
  alias: 16,
  anchor: 17,
  tag: 18,
  plain: 19,
  quoted: 20,
  block: 21,
} as const;

export type Kind = (typeof Kind)[keyof typeof Kind];

/** Where a token begins; lines from zero. */
export interface Place {
  readonly p: number;
  readonly line: number;
  readonly column: number;
}

/**
 * Whether a scalar or a flow collection is the key of a mapping is known only when a colon comes after it. Until then
 * its token is `pending` and the grammar must not see it. The colon makes it a key, and the beginning of a block
 * mapping where it is indented further than the collection around it: the grammar then gets up to two more tokens
 * before it.
 */
export class Token implements Place {
  readonly kind: Kind;
  readonly p: number;
  readonly line: number;
  readonly column: number;
  /** Text of a scalar; name of an anchor or alias; handle of a tag or of a directive; version of a directive. */
  text = '';
  /** Suffix of a tag; prefix of a directive. */
  suffix = '';
  pending = false;
  /** It stands where a block mapping has its keys: without a colon it is a mistake. */
  required = false;
  isKey = false;
  opensMapping = false;

  constructor(kind: Kind, { p, line, column }: Place) {
    this.kind = kind;
    this.p = p;
    this.line = line;
    this.column = column;
  }
}
