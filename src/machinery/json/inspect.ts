/** One quick look over JSON text: whether `JSON.parse` may read it, and how many members its objects have. */
export interface Inspection {
  /**
   * False when `JSON.parse` would lose something: numbers with fraction, exponent or many digits, escapes that may be
   * half of a character, deep nesting.
   */
  readonly simple: boolean;
  /** Members of all objects, counted by their colons. */
  readonly members: number;
  /** Objects and lists. */
  readonly containers: number;
  /** The bracket that opens more levels than JSON may have; 0 when there is none. */
  readonly tooDeep: number;
  readonly ascii: boolean;
}

/** Deeper text is read without recursion. */
const maxSimpleDepth = 200;
const maxSimpleDigits = 15;

/** Deeper nesting is a syntax error, as in Go. */
export const maxNesting = 10_000;

export function inspectJson(b: Uint8Array): Inspection {
  const end = b.length;
  let members = 0;
  let depth = 0;
  let containers = 0;
  let tooDeep = 0;
  let simple = true;
  let bits = 0;
  for (let i = 0; i < end; i++) {
    const code = b[i]!;
    if (code === 0x22) {
      for (i++; i < end; i++) {
        const c = b[i]!;
        if (c === 0x22) break;
        bits |= c;
        if (c !== 0x5c) continue;
        i++;
        // \ud800 to \udfff, one half of a character each.
        if (b[i] === 0x75 && (b[i + 1]! | 0x20) === 0x64) simple = false;
      }
    } else if (code === 0x3a) members++;
    else if (code === 0x7b || code === 0x5b) {
      containers++;
      if (++depth > maxSimpleDepth) {
        simple = false;
        if (depth > maxNesting && tooDeep === 0) tooDeep = code;
      }
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code >= 0x30 && code <= 0x39) {
      const start = i;
      while (i < end && b[i]! >= 0x30 && b[i]! <= 0x39) i++;
      const next = b[i]!;
      if (i - start > maxSimpleDigits || next === 0x2e || next === 0x65 || next === 0x45) simple = false;
      i--;
    } else bits |= code;
  }
  return { simple, members, containers, tooDeep, ascii: bits < 128 };
}
