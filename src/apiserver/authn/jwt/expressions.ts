/**
 * CEL over the claims of a token, and over the user that was made of them. Compiled and type-checked when the
 * configuration is read, so that what can be wrong without a token is found without one.
 */
import {
  adaptAny,
  boolType,
  dynType,
  environment,
  listType,
  ListValue,
  mapType,
  objectType,
  type Program,
  stringType,
  type Value,
} from '../../../cel/index.ts';

/** What an expression is about. */
export type Subject = 'claims' | 'user';
/** What it yields. */
export type Result = 'bool' | 'string' | 'strings';

export interface Expression {
  readonly text: string;
  /** Throws when it fails or yields something else. */
  evaluate(subject: object): Value;
  /** Whether it reads this claim, by its text. */
  mentions(name: string): boolean;
}

const userFields: Readonly<Record<string, typeof stringType>> = {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
};
const environments = {
  claims: () => environment({ variables: { claims: mapType(stringType, dynType) } }),
  user: () => environment({ variables: { user: objectType('kubernetes.UserInfo', (name) => userFields[name]) } }),
};
// What reads claims may be of any type until there are some.
const resultTypes = {
  bool: [boolType],
  string: [stringType, dynType],
  strings: [stringType, listType(stringType), listType(dynType), dynType],
} as const;

/** In the steps of `Environment.compiling`. Throws an Error with what is wrong with the text. */
export function* compileExpression(text: string, subject: Subject, result: Result): Generator<void, Expression> {
  const program = yield* environments[subject]().compiling(text, ...resultTypes[result]);
  if ('failure' in program) throw new Error(program.failure);
  return {
    text,
    evaluate: (value) => run(program, text, { [subject]: adaptAny(value) }),
    mentions: (name) => new RegExp(`claims\\??\\.${name}\\b|claims\\[\\??['"]${name}['"]\\]`).test(text),
  };
}

function run(program: Program, text: string, bindings: Readonly<Record<string, Value>>): Value {
  const outcome = program.evaluate(bindings);
  if ('error' in outcome) throw new Error(`expression '${text}' resulted in error: ${outcome.error}`);
  return outcome.value;
}

/** Nothing but true counts. */
export const isTrue = (value: Value): boolean => value === true;

export function asString(value: Value): string {
  if (typeof value !== 'string') throw new Error('expression must return a string');
  return value;
}

/** Empty texts and null stand for nothing. */
export function asStrings(value: Value): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!(value instanceof ListValue)) throw new Error('expression must return a string or a list of strings');
  return [...value].map(asString).filter((item) => item !== '');
}
