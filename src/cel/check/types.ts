/** Types of expressions, and when one fits where another is wanted. */

export type TypeKind =
  | 'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration'
  | 'list' | 'map' | 'type' | 'opaque' | 'object' | 'parameter';

export interface CelType {
  readonly kind: TypeKind;
  /** As messages and `type()` show it. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** Fields of an object by the name that expressions use. */
  readonly field?: (name: string) => CelType | undefined;
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

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

export const listType = (element: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [element] });
export const mapType = (key: CelType, value: CelType): CelType => ({ kind: 'map', name: 'map', parameters: [key, value] });
export const typeType = (of?: CelType): CelType => ({ kind: 'type', name: 'type', parameters: of === undefined ? [] : [of] });
export const opaqueType = (name: string, ...parameters: CelType[]): CelType => ({ kind: 'opaque', name, parameters });
export const optionalType = (of: CelType): CelType => opaqueType('optional_type', of);
export const objectType = (name: string, field: (name: string) => CelType | undefined): CelType => ({ kind: 'object', name, parameters: [], field });
export const typeParameter = (name: string): CelType => simple('parameter', name);

export const isOptional = (type: CelType): boolean => type.kind === 'opaque' && type.name === 'optional_type';
export const isDyn = (type: CelType): boolean => type.kind === 'dyn' || type.kind === 'error';

/** `list(map(string, int))` */
export function typeText(type: CelType): string {
  return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.map(typeText).join(', ')})`;
}

const weights = new WeakMap<CelType, number>();

/** How many types a type is made of. */
export function weightOf(type: CelType): number {
  if (type.parameters.length === 0) return 1;
  let weight = weights.get(type);
  if (weight === undefined) {
    weight = type.parameters.reduce((sum, parameter) => sum + weightOf(parameter), 1);
    weights.set(type, weight);
  }
  return weight;
}

/** What type parameters stand for so far. */
export class Substitution {
  private readonly bindings = new Map<string, CelType>();
  /** What was known before each change, to take changes back. */
  private readonly trail: { readonly name: string; readonly before: CelType | undefined }[] = [];
  private fresh = 0;

  /** A parameter that nothing is known of. */
  newParameter(): CelType {
    return typeParameter(`_var${this.fresh++}`);
  }

  /** The type with what is known put in; what is not stays, or becomes dyn. */
  apply(type: CelType, freeAsDyn: boolean): CelType {
    if (type.kind === 'parameter') {
      const bound = this.bindings.get(type.name);
      return bound !== undefined ? this.apply(bound, freeAsDyn) : freeAsDyn ? dynType : type;
    }
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((parameter) => this.apply(parameter, freeAsDyn)) };
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

  private unifyEach(given: CelType, wanted: CelType): boolean {
    return given.parameters.every((parameter, i) => this.unify(parameter, wanted.parameters[i]!));
  }

  private unifyParameter(parameter: CelType, other: CelType, unifyBound: (bound: CelType) => boolean): boolean {
    const bound = this.bindings.get(parameter.name);
    if (bound !== undefined) {
      if (!unifyBound(bound)) return false;
      this.bind(parameter.name, moreGeneral(bound, other));
      return true;
    }
    const free = this.apply(other, false);
    if (free.kind === 'parameter' && free.name === parameter.name) return true;
    if (mentions(free, parameter.name)) return false;
    this.bind(parameter.name, free);
    return true;
  }
}

const takesNull = (type: CelType): boolean => type.kind === 'null' || type.kind === 'object' || type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'opaque';

const mentions = (type: CelType, name: string): boolean => (type.kind === 'parameter' ? type.name === name : type.parameters.some((parameter) => mentions(parameter, name)));

/** Of two types that fit each other the one that takes more. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  if (isDyn(a)) return a;
  if (isDyn(b)) return b;
  if (a.kind === 'null') return b;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length || a.parameters.length === 0) return a;
  return { ...a, parameters: a.parameters.map((parameter, i) => moreGeneral(parameter, b.parameters[i]!)) };
}

export function sameType(a: CelType, b: CelType): boolean {
  return a.kind === b.kind && a.name === b.name && a.parameters.length === b.parameters.length && a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i]!));
}
