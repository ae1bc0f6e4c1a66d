/**
 * JSONPath as printer columns use it: members, indexes, slices, wildcards, unions of names, descent and filters that
 * compare one member.
 * @see {@link https://kubernetes.io/docs/reference/kubectl/jsonpath/ | JSONPath support}
 */
import { jsonEqual, keysOf, memberOf } from './members.ts';
import { isObject, type JsonValue } from './value.ts';

type Step = (value: JsonValue) => Iterable<JsonValue>;

/** What the path leads to, found one by one: a path can lead to more than the value has. */
export type JsonPath = (value: JsonValue) => Iterable<JsonValue>;

/** Undefined for a path that cannot be read: it finds nothing. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  while (rest !== '') {
    const read = nextStep(rest);
    if (read === undefined) return undefined;
    steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return (value) => follow(steps, 0, value, { left: maxVisited });
}

/** Descents behind each other come by each value many times. What is not found by then is not there. */
const maxVisited = 100_000;

function* follow(
  steps: readonly Step[],
  next: number,
  value: JsonValue,
  visits: { left: number },
): Generator<JsonValue> {
  const step = steps[next];
  if (step === undefined) return yield value;
  for (const found of step(value)) {
    if (--visits.left < 0) return;
    yield* follow(steps, next + 1, found, visits);
  }
}

interface Read {
  readonly step: Step;
  readonly length: number;
}

const name = /^\.((?:[^.[\]\\\s]|\\.)+)/;
const descent = /^\.\.((?:[^.[\]\\\s*]|\\.)+|\*)/;
const index = /^\[\s*(-?\d+)\s*\]/;
const slice = /^\[\s*(?:(-?\d+|-)\s*)?:\s*(?:(-?\d+|-)\s*)?(?::\s*(\d+)\s*)?\]/;
const quoted =
  /^\[\s*((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*,\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))*)\s*\]/;
const filter =
  /^\[\?\(\s*@((?:[^=!<>)"'\\]|\\.)*)(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*)?\)\]/;

function nextStep(text: string): Read | undefined {
  const all = /^(?:\.\*|\[\*\])/.exec(text);
  if (all !== null) return { step: children, length: all[0].length };
  const deep = descent.exec(text);
  if (deep !== null) return { step: deep[1] === '*' ? below : named(unescaped(deep[1]!)), length: deep[0].length };
  const plain = name.exec(text);
  if (plain !== null) return { step: member(unescaped(plain[1]!)), length: plain[0].length };
  if (text.startsWith('.') && (text.length === 1 || text[1] === '[')) return { step: (value) => [value], length: 1 };
  return bracketStep(text);
}

function bracketStep(text: string): Read | undefined {
  const at = index.exec(text);
  if (at !== null) return { step: item(Number(at[1])), length: at[0].length };
  const range = slice.exec(text);
  if (range !== null) return { step: part(range), length: range[0].length };
  const names = quoted.exec(text);
  if (names !== null) {
    const keys = [...names[1]!.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map((match) =>
      unescaped(match[1] ?? match[2]!),
    );
    return { step: (value) => keys.flatMap((key) => memberAt(key, value)), length: names[0].length };
  }
  const condition = filter.exec(text);
  if (condition === null) return undefined;
  const step = filterStep(condition);
  return step === undefined ? undefined : { step, length: condition[0].length };
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

function memberAt(key: string, value: JsonValue): readonly JsonValue[] {
  const found = isObject(value) ? memberOf(value, key) : undefined;
  return found === undefined ? [] : [found];
}

const member =
  (key: string): Step =>
  (value) =>
    memberAt(key, value);

const children = (value: JsonValue): readonly JsonValue[] =>
  Array.isArray(value)
    ? value
    : isObject(value)
      ? keysOf(value)
          .sort()
          .map((key) => value[key]!)
      : [];

/** Everything inside. */
function* below(value: JsonValue): Generator<JsonValue> {
  for (const child of children(value)) {
    yield child;
    yield* below(child);
  }
}

/** Members with a name, of the value and of everything inside. */
const named = (key: string): Step =>
  function* (value) {
    yield* memberAt(key, value);
    for (const inside of below(value)) yield* memberAt(key, inside);
  };

const item =
  (at: number): Step =>
  (value) => {
    const found = Array.isArray(value) ? value.at(at) : undefined;
    return found === undefined ? [] : [found];
  };

const part =
  ([, from = '', to = '', by = '']: RegExpExecArray): Step =>
  (value) => {
    if (!Array.isArray(value)) return [];
    const found = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
    return by === '' || by === '0' ? found : found.filter((_, i) => i % Number(by) === 0);
  };

function filterStep([, path = '', operator, literal]: RegExpExecArray): Step | undefined {
  const find = parseJsonPath(path.trimEnd());
  if (find === undefined) return undefined;
  const wanted = operator === undefined ? undefined : literalOf(literal!);
  return function* (value) {
    for (const each of children(value))
      if (some(find(each), (found) => wanted === undefined || compare(found, operator!, wanted))) yield each;
  };
}

function some(values: Iterable<JsonValue>, holds: (value: JsonValue) => boolean): boolean {
  for (const value of values) if (holds(value)) return true;
  return false;
}

function literalOf(text: string): JsonValue {
  if (/^["']/.test(text)) return unescaped(text.slice(1, -1));
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  if (operator === '==') return jsonEqual(a, b);
  if (operator === '!=') return !jsonEqual(a, b);
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) return false;
  const [left, right] = [a, b as typeof a];
  return operator === '<'
    ? left < right
    : operator === '<='
      ? left <= right
      : operator === '>'
        ? left > right
        : left >= right;
}
