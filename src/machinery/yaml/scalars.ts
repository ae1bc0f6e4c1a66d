/**
 * What a plain YAML scalar stands for in the dialect that Kubernetes reads: YAML 1.1 as go-yaml understands it, with
 * `yes` and `on` as booleans and `0777` octal, without numbers in base 60; dates stay text.
 *
 * @see {@link https://yaml.org/type/ | YAML 1.1 types}
 */
export type YamlScalar =
  | { readonly tag: 'null'; readonly value: null }
  | { readonly tag: 'bool'; readonly value: boolean }
  | { readonly tag: 'int'; readonly value: number | bigint }
  | { readonly tag: 'float'; readonly value: number }
  /** Timestamps and `<<` are text as well, but mean more when they are written without quotes. */
  | { readonly tag: 'str' | 'timestamp' | 'merge'; readonly value: string };

const words = new Map<string, YamlScalar>([['<<', { tag: 'merge', value: '<<' }]]);
for (const word of ['', '~', 'null', 'Null', 'NULL']) words.set(word, { tag: 'null', value: null });
for (const word of ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
  words.set(word, { tag: 'bool', value: true });
for (const word of ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
  words.set(word, { tag: 'bool', value: false });
for (const word of ['.nan', '.NaN', '.NAN']) words.set(word, { tag: 'float', value: NaN });
for (const word of ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'])
  words.set(word, { tag: 'float', value: Infinity });
for (const word of ['-.inf', '-.Inf', '-.INF']) words.set(word, { tag: 'float', value: -Infinity });

const float = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;
const integer = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;
const timestamp = /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d?:\d\d?(?:\.\d+)?[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?)?)?$/;

/** The words above are no longer. */
const maxWord = 5;

export function resolveScalar(text: string): YamlScalar {
  const word = text.length > maxWord ? undefined : words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  if (first > 0x30 && first <= 0x39 && text.length < 10 && isDecimal(text)) return { tag: 'int', value: Number(text) };
  const isNumeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e;
  if (!isNumeric) return { tag: 'str', value: text };
  if (timestamp.test(text)) return { tag: 'timestamp', value: text };
  const plain = text.replaceAll('_', '');
  const number = first === 0x2e ? readFraction(text, plain) : (readInteger(plain) ?? readFloat(plain));
  return number ?? { tag: 'str', value: text };
}

function isDecimal(text: string): boolean {
  for (let i = 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Of an integer of 64 bits, in base 2. */
const mostDigits = 64;

function readInteger(text: string): YamlScalar | undefined {
  const match = integer.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const digits = (hex ?? binary ?? octal ?? decimal!).replace(/^0+/, '');
  // Longer ones are out of range, and would take long to convert.
  if (digits.length > mostDigits) return undefined;
  const prefix = hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : '';
  const magnitude = digits === '' ? 0n : BigInt(prefix + digits);
  const value = sign === '-' ? -magnitude : magnitude;
  // A sign keeps a number from being read as unsigned.
  if (value < -(2n ** 63n) || value >= (sign === '' ? 2n ** 64n : 2n ** 63n)) return undefined;
  return { tag: 'int', value: Number.isSafeInteger(Number(value)) ? Number(value) : value };
}

/** Where a number begins with its point, underscores stand between digits only. */
const readFraction = (text: string, plain: string): YamlScalar | undefined =>
  /(?<!\d)_|_(?!\d)/.test(text) ? undefined : readFloat(plain);

function readFloat(text: string): YamlScalar | undefined {
  const value = float.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? { tag: 'float', value } : undefined;
}

/** Looks like a number in base 60, which other readers would take for one. */
export const isBase60 = (text: string): boolean => /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/.test(text);
