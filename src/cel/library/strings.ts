/**
 * Functions on texts. Positions count characters (code points).
 * @see {@link https://pkg.go.dev/github.com/google/cel-go/ext#Strings | CEL strings extension, version 2}
 */
import { type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import * as estimates from '../cost/call-estimates.ts';
import { readsFirst, readsFirstTwice, traversal, valueSize } from '../cost/sizes.ts';
import { work } from '../values/evaluation-limit.ts';
import { ArrayList, CelError, type ListValue, type Value } from '../values/values.ts';
import { Characters, charactersOf } from './characters.ts';
import { formatText } from './format-text.ts';
import * as search from './search.ts';
import { dyn, I, S, strings } from './signatures.ts';
import { listType } from '../check/types.ts';

/**
 * A longer result is an error: what one call makes has to stay in memory.
 *
 * @NOTE differs from upstream: there is such a limit, and texts that are longer than what they are made of cost by
 *   their length.
 */
export const maxTextLength = 2 ** 24;
const tooLong = new CelError(`result is longer than ${maxTextLength} characters`);

/** A text or list that a call makes: the work is that of writing it, and of keeping it in memory. */
function made(value: Value): Value {
  const { length } = typeof value === 'string' ? value : { length: valueSize(value) };
  work(length / 8);
  return value;
}

const reads = { cost: readsFirst as (...args: Value[]) => number, estimate: estimates.readsFirst };
const looks = { cost: traversal as (...args: Value[]) => number, estimate: estimates.looksThroughFirst };
const outOfRange = (index: number | bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: number): Value {
  const characters = new Characters(text);
  return index < 0 || index > characters.length ? outOfRange(index) : characters.at(index);
}

function indexOf(text: string, part: string, from = 0): Value {
  const characters = new Characters(text);
  if (from < 0 || from > characters.length) return part === '' && from === 0 ? 0 : outOfRange(from);
  return part === '' ? from : characters.indexOfUnit(search.indexOf(text, part, characters.unitOfIndex(from)));
}

function lastIndexOf(text: string, part: string, from?: number): Value {
  const characters = new Characters(text);
  if (from === undefined)
    return part === '' ? characters.length : characters.indexOfUnit(search.lastIndexOf(text, part));
  if (from < 0 || from > characters.length) return outOfRange(from);
  return part === '' ? from : characters.indexOfUnit(search.lastIndexOf(text, part, characters.unitOfIndex(from)));
}

function substring(text: string, start: number, end?: number): Value {
  const characters = new Characters(text);
  const to = end ?? characters.length;
  if (start < 0 || start > characters.length) return outOfRange(start);
  if (to < 0 || to > characters.length) return outOfRange(to);
  return start > to
    ? new CelError(`invalid substring range. start: ${start}, end: ${to}`)
    : characters.slice(start, to);
}

const ascii = /^[\0-\x7f]*$/;
const caseBit = 0x20;

/** @param first of the letters that change, in ASCII */
const asciiCase =
  (first: number, ofAscii: (text: string) => string) =>
  (text: string): string => {
    work(text.length / 8);
    if (ascii.test(text)) return ofAscii(text);
    const bytes = Buffer.from(text, 'utf16le');
    for (let i = 0; i < bytes.length; i += 2)
      if (bytes[i + 1] === 0 && bytes[i]! >= first && bytes[i]! < first + 26) bytes[i]! ^= caseBit;
    return bytes.toString('utf16le');
  };

/** Unicode's white space, which is not quite JavaScript's. */
const spaces = new Set([
  0x85,
  0xa0,
  0x1680,
  ...Array.from({ length: 11 }, (_, i) => 0x2000 + i),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
]);

const isSpace = (unit: number): boolean =>
  unit === 0x20 || (unit < 0x20 ? unit >= 0x09 && unit <= 0x0d : unit >= 0x85 && spaces.has(unit));

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  work((start + text.length - end) / 4);
  return text.slice(start, end);
}

function split(text: string, separator: string, limit: number | bigint = -1): Value {
  if (limit === 0) return new ArrayList([]);
  if (limit === 1) return new ArrayList([text]);
  const most = limit < 0 ? Infinity : Number(limit);
  return new ArrayList(separator === '' ? splitCharacters(text, most) : search.split(text, separator, most));
}

function splitCharacters(text: string, limit: number): string[] {
  const characters = charactersOf(text);
  return characters.length <= limit
    ? characters
    : [...characters.slice(0, limit - 1), characters.slice(limit - 1).join('')];
}

function replace(text: string, old: string, by: string, limit: number | bigint = -1): Value {
  if (limit === 0) return text;
  const most = limit < 0 ? Infinity : Number(limit);
  // No more places are looked for than there may be.
  const fitting =
    by.length > old.length ? Math.floor((maxTextLength - text.length) / (by.length - old.length)) : Infinity;
  const count = Math.min(most, fitting + 1) + 1;
  const parts = old === '' ? betweenCharacters(text, count) : search.split(text, old, count);
  return parts.length - 1 > fitting ? tooLong : made(parts.join(by));
}

/** An empty text is before each character, and at the end. */
function betweenCharacters(text: string, limit: number): string[] {
  const parts = ['', ...charactersOf(text), ''];
  return parts.length <= limit ? parts : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join('')];
}

function join(list: ListValue, separator = ''): Value {
  const parts: string[] = [];
  let length = 0;
  for (let i = 0, { size } = list; i < size; i++) {
    work(2);
    const part = list.at(i);
    if (typeof part !== 'string') return new CelError(`join: invalid input: ${String(part)}`);
    length += part.length + separator.length;
    if (length > maxTextLength) return tooLong;
    parts.push(part);
  }
  return made(parts.join(separator));
}

const quoted: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const toQuote = /[\x07\b\f\n\r\t\v\\"]|\p{Surrogate}/gu;
const quote = (text: string): Value =>
  made(`"${search.replaceEach(text, toQuote, 4, ([char]) => quoted[char] ?? '\ufffd')}"`);

const reverse = (text: string): string => charactersOf(text).reverse().join('');

function format(text: string, args: ListValue): Value {
  const formatted = formatText(text, args, maxTextLength);
  return formatted === undefined ? tooLong : made(formatted);
}

/** Reads the text and makes another one, or several. */
const making = { cost: readsFirstTwice as (...args: Value[]) => number };
/** What is joined is paid when it is there. */
const joining = { costOfResult: readsFirstTwice as (result: Value) => number, estimate: estimates.joinsElements };
const reading = { cost: readsFirst as (...args: Value[]) => number };

const common: readonly FunctionDeclaration[] = [
  { name: 'charAt', overloads: [memberOverload('string_char_at_int', [S, I], S, charAt)] },
  {
    name: 'indexOf',
    overloads: [
      memberOverload('string_index_of_string', [S, S], I, indexOf, looks),
      memberOverload('string_index_of_string_int', [S, S, I], I, indexOf, looks),
    ],
  },
  {
    name: 'lastIndexOf',
    overloads: [
      memberOverload('string_last_index_of_string', [S, S], I, lastIndexOf, looks),
      memberOverload('string_last_index_of_string_int', [S, S, I], I, lastIndexOf, looks),
    ],
  },
  {
    name: 'lowerAscii',
    overloads: [
      memberOverload(
        'string_lower_ascii',
        [S],
        S,
        asciiCase(0x41, (text) => text.toLowerCase()),
        reads,
      ),
    ],
  },
  {
    name: 'upperAscii',
    overloads: [
      memberOverload(
        'string_upper_ascii',
        [S],
        S,
        asciiCase(0x61, (text) => text.toUpperCase()),
        reads,
      ),
    ],
  },
  {
    name: 'replace',
    overloads: [
      memberOverload('string_replace_string_string', [S, S, S], S, replace, {
        ...making,
        estimate: estimates.replaces,
      }),
      memberOverload('string_replace_string_string_int', [S, S, S, I], S, replace, {
        ...making,
        estimate: estimates.replaces,
      }),
    ],
  },
  {
    name: 'split',
    overloads: [
      memberOverload('string_split_string', [S, S], strings, split, { ...making, estimate: estimates.splits }),
      memberOverload('string_split_string_int', [S, S, I], strings, split, { ...making, estimate: estimates.splits }),
    ],
  },
  {
    name: 'substring',
    overloads: [
      memberOverload('string_substring_int', [S, I], S, substring, reads),
      memberOverload('string_substring_int_int', [S, I, I], S, substring, reads),
    ],
  },
  { name: 'trim', overloads: [memberOverload('string_trim', [S], S, trim, reads)] },
  {
    name: 'join',
    overloads: [
      memberOverload('list_join', [strings], S, join, joining),
      memberOverload('list_join_string', [strings, S], S, join, joining),
    ],
  },
];

const later: readonly FunctionDeclaration[] = [
  {
    name: 'format',
    overloads: [
      memberOverload('string_format', [S, listType(dyn)], S, format, {
        ...reading,
        estimate: estimates.looksThroughFirst,
      }),
    ],
  },
  {
    name: 'strings.quote',
    overloads: [globalOverload('strings_quote', [S], S, quote, { ...reading, estimate: estimates.quotes })],
  },
];

/** Version 0 of the extension. */
export const stringsVersion0: Library = { functions: common };
/** Version 2. */
export const stringsVersion2: Library = { functions: [...common, ...later] };
/** What later versions have; not in Kubernetes. */
export const stringsVersion3: Library = {
  functions: [
    ...common,
    ...later,
    { name: 'reverse', overloads: [memberOverload('string_reverse', [S], S, reverse, reads)] },
  ],
};
