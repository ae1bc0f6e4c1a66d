/** Types of expressions, and when one fits where another is wanted. */

export type TypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'type'
  | 'opaque'
  | 'object'
  | 'parameter';

export interface CelType {
  readonly kind: TypeKind;
  /** As messages and `type()` show it. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** How many types it is made of. */
  readonly weight: number;
  /** Whether a type parameter is in it. */
  readonly open: boolean;
  /** Of a type parameter of one expression, which one it is; -1 for all other types. */
  readonly number: number;
  /** Fields of an object by the name that expressions use. */
  readonly field: ((name: string) => CelType | undefined) | undefined;
}

const noParameters: readonly CelType[] = [];

const simple = (kind: TypeKind, name: string = kind, open = false, number = -1): CelType => ({
  kind,
  name,
  parameters: noParameters,
  weight: 1,
  open,
  number,
  field: undefined,
});

function composite(kind: TypeKind, name: string, parameters: readonly CelType[]): CelType {
  let weight = 1;
  let open = false;
  for (const parameter of parameters) {
    weight += parameter.weight;
    open ||= parameter.open;
  }
  return { kind, name, parameters, weight, open, number: -1, field: undefined };
}

export const dynType = simple('dyn');
export const errorType = simple('error', '!error!');
export const nullType = simple('null');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const timestampType = simple('timestamp');
export const durationType = simple('duration');

export const listType = (element: CelType): CelType => composite('list', 'list', [element]);
export const mapType = (key: CelType, value: CelType): CelType => composite('map', 'map', [key, value]);
export const typeType = (of?: CelType): CelType => composite('type', 'type', of === undefined ? [] : [of]);
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => composite('opaque', name, parameters);
export const optionalType = (of: CelType): CelType => opaqueType('optional_type', of);
export const objectType = (name: string, field: (name: string) => CelType | undefined): CelType => ({
  ...simple('object', name),
  field,
});
/** Of a function; each call has parameters of its own for it. */
export const typeParameter = (name: string): CelType => simple('parameter', name, true);

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';
export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** `list(map(string, int))` */
export function typeText(type: CelType): string {
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`;
}

/** The same type of other parameters; itself when they are the same ones. */
export function withParameters(type: CelType, change: (parameter: CelType) => CelType): CelType {
  let changed: CelType[] | undefined;
  type.parameters.forEach((parameter, i) => {
    const next = change(parameter);
    if (next !== parameter) (changed ??= [...type.parameters])[i] = next;
  });
  return changed === undefined ? type : composite(type.kind, type.name, changed);
}

/** Comparing types takes more steps than any expression needs that a person writes: it was made to take long. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

const maxSteps = 1_000_000;
/** Smaller types are made again as quickly as they are looked up. */
const rememberedWeight = 8;

/** What type parameters stand for so far. */
export class Substitution {
  /** By the parameter's number. */
  readonly #bindings: (CelType | undefined)[] = [];
  /** What was known before each change, to take changes back. */
  readonly #trail: { readonly number: number; readonly before: CelType | undefined }[] = [];
  #steps = 0;

  /** A parameter that nothing is known of. */
  newParameter(): CelType {
    const number = this.#bindings.push(undefined) - 1;
    return simple('parameter', `_var${number}`, true, number);
  }

  /** The type with what is known put in; what is not stays. */
  apply(type: CelType): CelType {
    if (!type.open) return type;
    this.#step();
    if (type.kind !== 'parameter') return withParameters(type, this.#applyInside);
    const bound = this.#bindings[type.number];
    return bound === undefined ? type : this.apply(bound);
  }

  readonly #applyInside = (type: CelType): CelType => this.apply(type);

  /**
   * The same, where nothing new will become known: what is not known is dyn. `done` remembers what was long to make.
   */
  close(type: CelType, done: Map<CelType, CelType>): CelType {
    if (!type.open) return type;
    const bound = this.#bindings[type.number];
    if (type.kind === 'parameter' && bound === undefined) return dynType;
    let known = done.get(type);
    if (known === undefined) {
      this.#step();
      known =
        bound === undefined
          ? withParameters(type, (parameter) => this.close(parameter, done))
          : this.close(bound, done);
      if (bound !== undefined || type.weight >= rememberedWeight) done.set(type, known);
    }
    return known;
  }

  #step(): void {
    if (++this.#steps > maxSteps) throw new TooComplex();
  }

  /**
   * Whether values of the types `given` fit where `wanted` are. What that says about parameters is kept only when they
   * do.
   */
  assignAll(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    if (given.length !== wanted.length) return false;
    this.#trail.length = 0;
    return this.#unifyEach(given, wanted) || this.#takeBack();
  }

  assign(given: CelType, wanted: CelType): boolean {
    this.#trail.length = 0;
    return this.#unify(given, wanted) || this.#takeBack();
  }

  #takeBack(): false {
    for (let change = this.#trail.pop(); change !== undefined; change = this.#trail.pop())
      this.#bindings[change.number] = change.before;
    return false;
  }

  #bind({ number }: CelType, type: CelType): void {
    const before = this.#bindings[number];
    if (before === type) return;
    this.#trail.push({ number, before });
    this.#bindings[number] = type;
  }

  #unify(given: CelType, wanted: CelType): boolean {
    this.#step();
    if (given === wanted && !given.open) return true;
    if (wanted.kind === 'parameter') return this.#unifyParameter(wanted, given, true);
    if (given.kind === 'parameter') return this.#unifyParameter(given, wanted, false);
    if (isDyn(given) || isDyn(wanted)) return true;
    if (given.kind === 'null') return takesNull(wanted);
    if (wanted.kind === 'null') return takesNull(given);
    if (given.kind !== wanted.kind || given.name !== wanted.name) return false;
    // Types are compared as values, whatever they are the type of.
    if (given.kind === 'type') return true;
    return given.parameters.length === wanted.parameters.length && this.#unifyEach(given.parameters, wanted.parameters);
  }

  #unifyEach(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    for (let i = 0; i < given.length; i++) if (!this.#unify(given[i]!, wanted[i]!)) return false;
    return true;
  }

  /** Of two types that fit each other the one that takes more. */
  moreGeneral(a: CelType, b: CelType): CelType {
    this.#step();
    if (a === b || isDyn(a)) return a;
    if (isDyn(b)) return b;
    if (a.kind === 'null') return b;
    if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return a;
    let i = 0;
    return withParameters(a, (parameter) => this.moreGeneral(parameter, b.parameters[i++]!));
  }

  #unifyParameter(parameter: CelType, other: CelType, isWanted: boolean): boolean {
    const bound = this.#bindings[parameter.number];
    if (bound !== undefined) {
      if (!(isWanted ? this.#unify(other, bound) : this.#unify(bound, other))) return false;
      this.#bind(parameter, this.moreGeneral(bound, other));
      return true;
    }
    const free = this.apply(other);
    if (free.kind === 'parameter') return this.#unifyFree(parameter, free);
    if (mentions(free, parameter)) return false;
    this.#bind(parameter, free);
    return true;
  }

  /**
   * Of two that nothing is known of, the later one comes to stand for the earlier one: many with the same meaning make
   * no long chain.
   */
  #unifyFree(a: CelType, b: CelType): boolean {
    if (a.number < b.number) this.#bind(b, a);
    else if (a !== b) this.#bind(a, b);
    return true;
  }
}

const takesNull = (type: CelType): boolean =>
  type.kind === 'null' ||
  type.kind === 'object' ||
  type.kind === 'timestamp' ||
  type.kind === 'duration' ||
  type.kind === 'opaque';

const mentions = (type: CelType, parameter: CelType): boolean =>
  type.open && (type === parameter || type.parameters.some((inside) => mentions(inside, parameter)));

export function sameType(a: CelType, b: CelType): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.parameters.length === b.parameters.length &&
      a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i]!)))
  );
}
