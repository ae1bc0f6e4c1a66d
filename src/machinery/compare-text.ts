/**
 * Order of texts by their UTF-8 bytes, as Go and the store have it. JavaScript's `<` compares UTF-16 units, which
 * puts characters beyond U+FFFF (surrogates) before U+E000–U+FFFF.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return x >= 0xd800 && y >= 0xd800 ? rank(x) - rank(y) : x - y;
  }
  return a.length - b.length;
}

/** Surrogates stand for characters above all others. */
const rank = (unit: number): number => (unit < 0xe000 ? unit + 0x10000 : unit);
