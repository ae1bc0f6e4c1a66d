/** Types of expressions, and when one fits where another is wanted. */

export type TypeKind =
  | 'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration'
  | 'list' | 'map' | 'type' | 'opaque' | 'object' | 'parameter';

export interface CelType {
  readonly kind: TypeKind;
  /** As messages and `type()` show it. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** How many types it is made of; 1 when absent. */
  readonly weight?: number;
  /** Whether a type parameter is in it; not when absent. */
  readonly open?: boolean;
  /** Fields of an object by the name that expressions use. */
  readonly field?: (name: string) => CelType | undefined;
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

const composite = (kind: TypeKind, name: string, parameters: readonly CelType[]): CelType => ({
  kind, name, parameters, weight: parameters.reduce((sum, parameter) => sum + weightOf(parameter), 1), open: parameters.some(isOpen),
});

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
export const objectType = (name: string, field: (name: string) => CelType | undefined): CelType => ({ kind: 'object', name, parameters: [], field });
export const typeParameter = (name: string): CelType => ({ ...simple('parameter', name), open: true });

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';
export const isOpen = ({ open = false }: CelType): boolean => open;
export const weightOf = ({ weight = 1 }: CelType): number => weight;
export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** `list(map(string, int))` */
export function typeText(type: CelType): string {
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`;
}

/** The same type of other parameters. */
export const withParameters = ({ kind, name }: CelType, parameters: readonly CelType[]): CelType => composite(kind, name, parameters);

/** Comparing types takes more steps than any expression needs that a person writes: it was made to take long. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

const maxSteps = 1_000_000;

const freshPrefix = '_var';
const numberOf = ({ name }: CelType): number => Number(name.slice(freshPrefix.length));

/** What type parameters stand for so far. */
export class Substitution {
  private readonly bindings = new Map<string, CelType>();
  /** What was known before each change, to take changes back. */
  private readonly trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  private fresh = 0;
  private steps = 0;

  /** A parameter that nothing is known of. */
  newParameter(): CelType {
    return typeParameter(`${freshPrefix}${this.fresh++}`);
  }

  /** The type with what is known put in; what is not stays, or becomes dyn. `applied` remembers types while nothing new becomes known. */
  apply(type: CelType, freeAsDyn: boolean, applied?: Map<CelType, CelType>): CelType {
    if (!isOpen(type)) return type;
    let known = applied?.get(type);
    if (known === undefined) {
      known = this.applyOpen(type, freeAsDyn, applied);
      applied?.set(type, known);
    }
    return known;
  }

  private applyOpen(type: CelType, freeAsDyn: boolean, applied: Map<CelType, CelType> | undefined): CelType {
    this.step();
    if (type.kind !== 'parameter') return withParameters(type, type.parameters.map((parameter) => this.apply(parameter, freeAsDyn, applied)));
    const bound = this.bindings.get(type.name);
    return bound !== undefined ? this.apply(bound, freeAsDyn, applied) : freeAsDyn ? dynType : type;
  }

  private step(): void {
    if (++this.steps > maxSteps) throw new TooComplex();
  }

  /** Whether values of the types `given` fit where `wanted` are. What that says about parameters is kept only when they do. */
  assignAll(given: readonly CelType[], wanted: readonly CelType[]): boolean {
    if (given.length !== wanted.length) return false;
    this.trail.length = 0;
    if (given.every((type, i) => this.unify(type, wanted[i]!))) return true;
    for (let change = this.trail.pop(); change !== undefined; change = this.trail.pop()) {
      if (change.before === undefined) this.bindings.delete(change.name);
      else this.bindings.set(change.name, change.before);
    }
    return false;
  }

  private bind(name: string, type: CelType): void {
    this.trail.push({ name, before: this.bindings.get(name) });
    this.bindings.set(name, type);
  }

  assign(given: CelType, wanted: CelType): boolean {
    return this.assignAll([given], [wanted]);
  }

  private unify(given: CelType, wanted: CelType): boolean {
    this.step();
    if (given === wanted && !isOpen(given)) return true;
    if (wanted.kind === 'parameter') return this.unifyParameter(wanted, given, (bound) => this.unify(given, bound));
    if (given.kind === 'parameter') return this.unifyParameter(given, wanted, (bound) => this.unify(bound, wanted));
    if (isDyn(given) || isDyn(wanted)) return true;
    if (given.kind === 'null') return takesNull(wanted);
    if (wanted.kind === 'null') return takesNull(given);
    if (given.kind !== wanted.kind || given.name !== wanted.name) return false;
    // Types are compared as values, whatever they are the type of.
    if (given.kind === 'type') return true;
    return given.parameters.length === wanted.parameters.length && this.unifyEach(given, wanted);
  }

  /** Of two types that fit each other the one that takes more. */
  moreGeneral(a: CelType, b: CelType): CelType {
    this.step();
    if (a === b || isDyn(a)) return a;
    if (isDyn(b)) return b;
    if (a.kind === 'null') return b;
    if (a.kind !== b.kind || a.parameters.length !== b.parameters.length || a.parameters.length === 0) return a;
    const parameters = a.parameters.map((parameter, i) => this.moreGeneral(parameter, b.parameters[i]!));
    return parameters.every((parameter, i) => parameter === a.parameters[i]) ? a : withParameters(a, parameters);
  }

  private unifyEach(given: CelType, wanted: CelType): boolean {
    return given.parameters.every((parameter, i) => this.unify(parameter, wanted.parameters[i]!));
  }

  private unifyParameter(parameter: CelType, other: CelType, unifyBound: (bound: CelType) => boolean): boolean {
    const bound = this.bindings.get(parameter.name);
    if (bound !== undefined) {
      if (!unifyBound(bound)) return false;
      this.bind(parameter.name, this.moreGeneral(bound, other));
      return true;
    }
    const free = this.apply(other, false);
    if (free.kind === 'parameter') return this.unifyFree(parameter, free);
    if (mentions(free, parameter.name)) return false;
    this.bind(parameter.name, free);
    return true;
  }

  /** Of two that nothing is known of, the later one comes to stand for the earlier one: many with the same meaning make no long chain. */
  private unifyFree(a: CelType, b: CelType): boolean {
    if (a.name === b.name) return true;
    const [earlier, later] = numberOf(a) < numberOf(b) ? [a, b] : [b, a];
    this.bind(later.name, earlier);
    return true;
  }
}

const takesNull = (type: CelType): boolean => type.kind === 'null' || type.kind === 'object' || type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'opaque';

const mentions = (type: CelType, name: string): boolean => isOpen(type) && (type.kind === 'parameter' ? type.name === name : type.parameters.some((parameter) => mentions(parameter, name)));

export function sameType(a: CelType, b: CelType): boolean {
  return a === b || a.kind === b.kind && a.name === b.name && a.parameters.length === b.parameters.length && a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i]!));
}
