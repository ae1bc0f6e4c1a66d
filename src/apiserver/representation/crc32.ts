/**
 * CRC-32 of joined pieces from the sums of the pieces (RFC 1952, section 8), so that what is kept is not read again.
 */

/** The polynomial of RFC 1952, bits reversed: the coefficient of x⁰ is the highest bit. */
const polynomial = 0xedb88320;
const one = 0x80000000;

/** a(x)·b(x) modulo the polynomial. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

/** x to the power of 8·2ⁿ, by n: what moves a sum by 2ⁿ bytes. Lengths stay below 2³². */
const powers: readonly number[] = (() => {
  const table = [one >>> 8];
  while (table.length < 32) table.push(multiply(table[table.length - 1]!, table[table.length - 1]!));
  return table;
})();

/** The factor of a sum when so many bytes are appended; below 2³². */
export function crcShift(bytes: number): number {
  let shift = one;
  for (let n = 0, rest = bytes; rest > 0; n++, rest >>>= 1) if ((rest & 1) === 1) shift = multiply(shift, powers[n]!);
  return shift;
}

/** The sum of two pieces in a row. @param shift `crcShift` of the length of the second */
export const joinCrc = (first: number, second: number, shift: number): number =>
  (multiply(first, shift) ^ second) >>> 0;
