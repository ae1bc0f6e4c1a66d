/**
 * JSONPath as printer columns use it: members, indexes, slices, wildcards, unions of names, descent and filters that
 * compare one member.
 * @see {@link https://kubernetes.io/docs/reference/kubectl/jsonpath/ | JSONPath support}
 */
import { jsonEqual, keysOf, memberOf } from './members.ts';
import { isObject, type JsonValue } from './value.ts';

type Step = (value: JsonValue) => readonly JsonValue[];

export type JsonPath = (value: JsonValue) => readonly JsonValue[];

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
  return (value) => steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap(step), [value]);
}

interface Read {
  readonly step: Step;
  readonly length: number;
}

const name = /^\.((?:[^.[\]\\\s]|\\.)+)/;
const descent = /^\.\.((?:[^.[\]\\\s*]|\\.)+|\*)/;
const index = /^\[\s*(-?\d+)\s*\]/;
const slice = /^\[\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(\d+)\s*)?\]/;
const quoted = /^\[\s*((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\s*,\s*(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))*)\s*\]/;
const filter = /^\[\?\(\s*@((?:[^=!<>)"']|\\.)*?)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*)?\)\]/;

function nextStep(text: string): Read | undefined {
  const all = /^(?:\.\*|\[\*\])/.exec(text);
  if (all !== null) return { step: children, length: all[0].length };
  const deep = descent.exec(text);
  if (deep !== null) return { step: deep[1] === '*' ? (value) => descendants(value).slice(1) : (value) => descendants(value).flatMap(member(unescaped(deep[1]!))), length: deep[0].length };
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
    const keys = [...names[1]!.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map((match) => unescaped(match[1] ?? match[2]!));
    return { step: (value) => keys.flatMap((key) => member(key)(value)), length: names[0].length };
  }
  const condition = filter.exec(text);
  if (condition === null) return undefined;
  const step = filterStep(condition);
  return step === undefined ? undefined : { step, length: condition[0].length };
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

const member = (key: string): Step => (value) => {
  const found = isObject(value) ? memberOf(value, key) : undefined;
  return found === undefined ? [] : [found];
};

const children: Step = (value) => (Array.isArray(value) ? value : isObject(value) ? keysOf(value).sort().map((key) => value[key]!) : []);

const descendants = (value: JsonValue): JsonValue[] => [value, ...children(value).flatMap(descendants)];

const item = (at: number): Step => (value) => {
  const found = Array.isArray(value) ? value.at(at) : undefined;
  return found === undefined ? [] : [found];
};

const part = ([, from = '', to = '', by = '']: RegExpExecArray): Step => (value) => {
  if (!Array.isArray(value)) return [];
  const found = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
  return by === '' || by === '0' ? found : found.filter((_, i) => i % Number(by) === 0);
};

function filterStep([, path = '', operator, literal]: RegExpExecArray): Step | undefined {
  const find = parseJsonPath(path);
  if (find === undefined) return undefined;
  if (operator === undefined) return (value) => children(value).filter((each) => find(each).length > 0);
  const wanted = literalOf(literal!);
  return (value) => children(value).filter((each) => find(each).some((found) => compare(found, operator, wanted)));
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
  return operator === '<' ? left < right : operator === '<=' ? left <= right : operator === '>' ? left > right : left >= right;
}
