/**
 * Macros: calls that become folds, `has()` and the binding macros of optionals.
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros | CEL language definition: macros}
 */
import {
  accumulatorName,
  callNode,
  type Comprehension,
  identifierNode as identifier,
  listNode,
  literalNode,
  type Node,
  type Shape,
} from './ast.ts';

export interface MacroOptions {
  readonly macros: boolean;
  /** `optMap` and `optFlatMap`. */
  readonly optionals: boolean;
  /** `list.all(i, v, …)`, `transformList`, `transformMap`, `transformMapEntry`. */
  readonly twoVariables: boolean;
  /** `cel.bind`, which Kubernetes does not have. */
  readonly bindings?: boolean;
}

export interface MacroCall {
  readonly name: string;
  readonly offset: number;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

type Report = (offset: number, message: string) => void;
type Expander = (call: MacroCall & { readonly target: Node }, report: Report) => Node | undefined;

const literal = (offset: number, value: boolean | number): Node =>
  literalNode(offset, typeof value === 'boolean' ? { kind: 'bool', value } : { kind: 'int', value });
const call = (offset: number, name: string, ...args: Node[]): Node => callNode(offset, name, undefined, args);
const emptyList = (offset: number): Node => listNode(offset, []);
const listOf = (value: Node): Node => listNode(value.offset, [{ value, optional: false }]);

/** The expansion; undefined when the call is no macro. An error in it is reported, and the call stays. */
export function expandMacro(macro: MacroCall, options: MacroOptions, report: Report): Node | undefined {
  const { name, target, args } = macro;
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(macro, report) : undefined;
  const withTarget = { ...macro, target };
  const one = args.length <= 3 ? oneVariable.get(`${name}/${args.length}`) : undefined;
  if (one !== undefined && !(name !== 'map' && args.length === 3)) return one(withTarget, report);
  if (options.optionals && args.length === 2 && (name === 'optMap' || name === 'optFlatMap'))
    return expandOptional(withTarget, report);
  if (
    options.bindings === true &&
    name === 'bind' &&
    args.length === 3 &&
    target.kind === 'identifier' &&
    target.name === 'cel'
  )
    return expandBind(withTarget, report);
  return options.twoVariables ? twoVariables.get(`${name}/${args.length}`)?.(withTarget, report) : undefined;
}

function expandHas({ args, offset }: MacroCall, report: Report): Node | undefined {
  const arg = args[0]!;
  if (arg.kind === 'select' && !arg.test) return { ...arg, test: true, offset };
  report(arg.offset, 'invalid argument to has() macro');
  return undefined;
}

/** The name of an iteration variable; undefined after a report. */
function variableName(arg: Node, report: Report, message: string): string | undefined {
  if (arg.kind !== 'identifier' || arg.name.startsWith('.')) return void report(arg.offset, message);
  if (arg.name === accumulatorName)
    return void report(arg.offset, 'iteration variable overwrites accumulator variable');
  return arg.name;
}

interface Fold {
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result?: Node;
  readonly shape: Shape;
}

function fold(
  { offset, target }: MacroCall & { readonly target: Node },
  variable: string,
  second: string | undefined,
  parts: Fold,
): Comprehension {
  return {
    kind: 'comprehension',
    offset,
    variable,
    second,
    range: target,
    accumulator: accumulatorName,
    init: parts.init,
    condition: parts.condition,
    step: parts.step,
    result: parts.result ?? identifier(offset, accumulatorName),
    shape: parts.shape,
  };
}

type Quantifier = 'all' | 'exists' | 'exists_one';

function quantifierParts(kind: Quantifier, offset: number, predicate: Node): Fold {
  const accumulator = identifier(offset, accumulatorName);
  const shape: Shape = { kind, predicate };
  if (kind === 'all') {
    return {
      init: literal(offset, true),
      condition: call(offset, '@not_strictly_false', accumulator),
      step: call(offset, '_&&_', accumulator, predicate),
      shape,
    };
  }
  if (kind === 'exists') {
    return {
      init: literal(offset, false),
      condition: call(offset, '@not_strictly_false', call(offset, '!_', accumulator)),
      step: call(offset, '_||_', accumulator, predicate),
      shape,
    };
  }
  const counted = call(offset, '_?_:_', predicate, call(offset, '_+_', accumulator, literal(offset, 1)), accumulator);
  return {
    init: literal(offset, 0),
    condition: literal(offset, true),
    step: counted,
    result: call(offset, '_==_', accumulator, literal(offset, 1)),
    shape,
  };
}

/** A list of the values of those elements that the predicate keeps. */
function collectParts(offset: number, predicate: Node | undefined, value: Node): Fold {
  const accumulator = identifier(offset, accumulatorName);
  const appended = call(offset, '_+_', accumulator, listOf(value));
  const step = predicate === undefined ? appended : call(offset, '_?_:_', predicate, appended, accumulator);
  return {
    init: emptyList(offset),
    condition: literal(offset, true),
    step,
    shape: { kind: 'collect', predicate, value },
  };
}

const simpleName = 'argument must be a simple name';
const notIdentifier = 'argument is not an identifier';

const quantifier =
  (kind: Quantifier): Expander =>
  (macro, report) => {
    const variable = variableName(macro.args[0]!, report, simpleName);
    return variable === undefined
      ? undefined
      : fold(macro, variable, undefined, quantifierParts(kind, macro.offset, macro.args[1]!));
  };

const mapMacro: Expander = (macro, report) => {
  const variable = variableName(macro.args[0]!, report, notIdentifier);
  const value = macro.args[macro.args.length - 1]!;
  return variable === undefined
    ? undefined
    : fold(
        macro,
        variable,
        undefined,
        collectParts(macro.offset, macro.args.length === 3 ? macro.args[1] : undefined, value),
      );
};

const filterMacro: Expander = (macro, report) => {
  const variable = variableName(macro.args[0]!, report, notIdentifier);
  return variable === undefined
    ? undefined
    : fold(macro, variable, undefined, collectParts(macro.offset, macro.args[1]!, macro.args[0]!));
};

const oneVariable: ReadonlyMap<string, Expander> = new Map<string, Expander>([
  ['all/2', quantifier('all')],
  ['exists/2', quantifier('exists')],
  ['exists_one/2', quantifier('exists_one')],
  ['map/2', mapMacro],
  ['map/3', mapMacro],
  ['filter/2', filterMacro],
]);

/** Two different names; undefined after a report. */
function twoNames({ args }: MacroCall, report: Report): [string, string] | undefined {
  const first = variableName(args[0]!, report, simpleName);
  const second = variableName(args[1]!, report, simpleName);
  if (first === undefined || second === undefined) return undefined;
  if (first === second) return void report(args[1]!.offset, `duplicate variable name: ${second}`);
  return [first, second];
}

const withTwo =
  (parts: (macro: MacroCall) => Fold): Expander =>
  (macro, report) => {
    const names = twoNames(macro, report);
    return names === undefined ? undefined : fold(macro, names[0], names[1], parts(macro));
  };

const transformList = withTwo(({ offset, args }) =>
  collectParts(offset, args.length === 4 ? args[2] : undefined, args[args.length - 1]!),
);

/** A map under the same keys, or one merged from the entries that the transformation gives. */
const transformMap = (insert: (macro: MacroCall, value: Node) => Node): Expander =>
  withTwo((macro) => {
    const { offset, args } = macro;
    const accumulator = identifier(offset, accumulatorName);
    const value = args[args.length - 1]!;
    const predicate = args.length === 4 ? args[2] : undefined;
    const inserted = insert(macro, value);
    const step = predicate === undefined ? inserted : call(offset, '_?_:_', predicate, inserted, accumulator);
    return {
      init: { kind: 'map', offset, entries: [] },
      condition: literal(offset, true),
      step,
      shape: { kind: 'insert', predicate, insertion: inserted },
    };
  });

const underSameKey = transformMap(({ offset, args }, value) =>
  call(offset, 'cel.@mapInsert', identifier(offset, accumulatorName), args[0]!, value),
);
const merged = transformMap(({ offset }, value) =>
  call(offset, 'cel.@mapInsert', identifier(offset, accumulatorName), value),
);

const twoVariables: ReadonlyMap<string, Expander> = new Map<string, Expander>([
  ...(['all', 'exists', 'exists_one', 'existsOne'] as const).map((name): [string, Expander] => [
    `${name}/3`,
    withTwo(({ offset, args }) => quantifierParts(name === 'existsOne' ? 'exists_one' : name, offset, args[2]!)),
  ]),
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', underSameKey],
  ['transformMap/4', underSameKey],
  ['transformMapEntry/3', merged],
  ['transformMapEntry/4', merged],
]);

/** A fold over nothing whose accumulator is the bound value. */
function bind(offset: number, name: string, value: Node, body: Node): Comprehension {
  return {
    kind: 'comprehension',
    offset,
    variable: '#unused',
    second: undefined,
    range: emptyList(offset),
    accumulator: name,
    init: value,
    condition: literal(offset, false),
    step: identifier(offset, name),
    result: body,
    shape: { kind: 'bind', value },
  };
}

function expandBind({ offset, args }: MacroCall, report: Report): Node | undefined {
  const [name, value, body] = args as [Node, Node, Node];
  if (name.kind !== 'identifier')
    return void report(name.offset, 'cel.bind() variable names must be simple identifiers');
  return bind(offset, name.name, value, body);
}

/** Not a name that an expression can have. */
export const targetName = '#target';

/**
 * The target gets a name: it occurs twice, and chains of these macros would double with each.
 *
 * @NOTE differs from upstream: the target is evaluated, and paid, once.
 */
function expandOptional(
  { name, offset, target, args }: MacroCall & { readonly target: Node },
  report: Report,
): Node | undefined {
  const [variable, body] = args as [Node, Node];
  if (variable.kind !== 'identifier')
    return void report(variable.offset, `${name}() variable name must be a simple identifier`);
  const member = (method: string): Node => callNode(offset, method, identifier(offset, targetName), []);
  const bound = bind(offset, variable.name, member('value'), body);
  const present = name === 'optMap' ? optional(offset, 'of', bound) : bound;
  return bind(offset, targetName, target, call(offset, '_?_:_', member('hasValue'), present, optional(offset, 'none')));
}

const optional = (offset: number, name: string, ...args: Node[]): Node => call(offset, `optional.${name}`, ...args);
