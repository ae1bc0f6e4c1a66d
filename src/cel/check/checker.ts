/**
 * Gives each part of an expression its type and each call the overloads that fit; what does not fit is an error with
 * its place.
 *
 * One file because the checks of all kinds of nodes call each other.
 *
 * @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#gradual-type-checking | CEL language
 *   definition: gradual type checking}
 */
import {
  bareName,
  type Call,
  type Comprehension,
  type Identifier,
  type ListNode,
  type LiteralValue,
  type MapNode,
  type Node,
  type Select,
  type StructNode,
} from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import type { Overload } from './declarations.ts';
import type { FindMessage } from './messages.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  isDyn,
  isOptional,
  listType,
  mapType,
  nullType,
  optionalType,
  sameType,
  stringType,
  Substitution,
  TooComplex,
  typeText,
  typeType,
  uintType,
  withParameters,
} from './types.ts';

export interface Scope {
  /** Also names with dots, such as `authorizer.requestResource`. */
  readonly variables: ReadonlyMap<string, CelType>;
  readonly types: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** How many parts the longest of the names has: what has more is none of them. */
  readonly longestName: number;
  /** Elements of a list in an expression have to be of one type, and so have values of a map. */
  readonly homogeneous: boolean;
  /** Absent where expressions make no values of named types. */
  readonly messages?: FindMessage;
}

const literalTypes: Readonly<Record<LiteralValue['kind'], CelType>> = {
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
};

/** The type of the whole, with the issues found. Types, overloads and names are noted in the nodes. */
export function check(node: Node, scope: Scope): { readonly type: CelType; readonly issues: readonly Issue[] } {
  const checker = new Checker(scope);
  try {
    const type = checker.check(node);
    return { type: checker.finish(type), issues: checker.issues };
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    return { type: errorType, issues: [{ offset: -1, message: tooComplex }] };
  }
}

const tooComplex = 'type is too complex';

const maxTypeWeight = 1000;

class Checker {
  readonly issues: Issue[] = [];
  readonly #scope: Scope;
  readonly #substitution = new Substitution();
  readonly #locals: { readonly name: string; readonly type: CelType }[] = [];
  readonly #nodes: Node[] = [];
  /** Lists and maps here may hold several types. */
  #mixed = false;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Types that were not known when a node was looked at may be known now. */
  finish(type: CelType): CelType {
    const done = new Map<CelType, CelType>();
    for (const node of this.#nodes) if (node.type!.open) node.type = this.#substitution.close(node.type!, done);
    return this.#substitution.close(type, done);
  }

  check(node: Node): CelType {
    let type = this.#typeOf(node);
    // A macro whose variable occurs twice in its value doubles the type: a few of them in a chain would never be done.
    if (type.weight > maxTypeWeight) type = this.#issue(node.offset, tooComplex);
    node.type = type;
    this.#nodes.push(node);
    return type;
  }

  #typeOf(node: Node): CelType {
    switch (node.kind) {
      case 'literal':
        return literalTypes[node.literal.kind];
      case 'identifier':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #issue(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return errorType;
  }

  #undeclared(name: string, offset: number): CelType {
    return this.#issue(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #local(name: string): CelType | undefined {
    return this.#locals.findLast((local) => local.name === name)?.type;
  }

  #identifier(node: Identifier): CelType {
    const local = this.#local(node.name);
    if (local !== undefined) return local;
    const declared = this.#declared(node.name);
    if (declared === undefined) return this.#undeclared(bareName(node.name), node.offset);
    node.resolved = bareName(node.name);
    return declared;
  }

  #declared(name: string): CelType | undefined {
    const bare = bareName(name);
    const variable = this.#scope.variables.get(bare);
    if (variable !== undefined) return variable;
    const type = this.#scope.types.get(bare);
    return type === undefined ? undefined : typeType(type);
  }

  /** `a.b.c` as one name, unless `a` is an iteration variable. */
  #dotted(node: Node, parts = this.#scope.longestName): string | undefined {
    if (node.kind === 'identifier') return this.#local(node.name) === undefined ? node.name : undefined;
    if (node.kind !== 'select' || node.test || parts === 1) return undefined;
    const prefix = this.#dotted(node.operand, parts - 1);
    return prefix === undefined ? undefined : `${prefix}.${node.field}`;
  }

  #select(node: Select): CelType {
    const name = node.test ? undefined : this.#dotted(node);
    const declared = name === undefined ? undefined : this.#declared(name);
    if (declared !== undefined) {
      node.resolved = bareName(name!);
      return declared;
    }
    const field = this.#fieldOf(this.check(node.operand), node.field, node.offset);
    return node.test ? boolType : field;
  }

  /** The type of a field; of an optional, an optional of it. */
  #fieldOf(operand: CelType, field: string, offset: number): CelType {
    const type = this.#substitution.apply(operand);
    if (isOptional(type))
      return optionalType(this.#plainField(this.#substitution.apply(type.parameters[0]!), field, offset));
    return this.#plainField(type, field, offset);
  }

  #plainField(type: CelType, field: string, offset: number): CelType {
    switch (type.kind) {
      case 'map':
        return type.parameters[1]!;
      case 'object':
        return type.field!(field) ?? this.#issue(offset, `undefined field '${field}'`);
      case 'parameter':
        this.#substitution.assign(dynType, type);
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
      default:
        return this.#issue(offset, `type '${typeText(type)}' does not support field selection`);
    }
  }

  #call(node: Call): CelType {
    if (node.name === '_?._' && node.target === undefined) return this.#optionalSelect(node);
    const { target } = node;
    const prefix = target === undefined ? undefined : this.#dotted(target);
    const namespaced = prefix === undefined ? undefined : this.#scope.functions.get(`${bareName(prefix)}.${node.name}`);
    if (namespaced !== undefined) {
      node.resolved = `${bareName(prefix!)}.${node.name}`;
      node.namespaced = true;
      return this.#resolve(node, namespaced, undefined, this.#checkAll(node.args));
    }
    const targetType = target === undefined ? undefined : this.check(target);
    const args = node.name === 'format' ? this.#checkMixed(node.args) : this.#checkAll(node.args);
    const bare = bareName(node.name);
    const overloads = this.#scope.functions.get(bare);
    if (overloads === undefined) return this.#undeclared(bare, node.offset);
    node.resolved = bare;
    return this.#resolve(node, overloads, targetType, args);
  }

  #checkAll(nodes: readonly Node[]): CelType[] {
    return nodes.map((node) => this.check(node));
  }

  /** What is formatted may be of any types. */
  #checkMixed(nodes: readonly Node[]): CelType[] {
    const mixed = this.#mixed;
    this.#mixed = true;
    const types = this.#checkAll(nodes);
    this.#mixed = mixed;
    return types;
  }

  #optionalSelect(node: Call): CelType {
    const [operand, name] = node.args as [Node, Node];
    const type = this.check(operand);
    this.check(name);
    const field = this.#fieldOf(
      type,
      name.kind === 'literal' && name.literal.kind === 'string' ? name.literal.value : '',
      node.offset,
    );
    return isOptional(field) ? field : optionalType(field);
  }

  #resolve(
    node: Call,
    candidates: readonly Overload[],
    target: CelType | undefined,
    args: readonly CelType[],
  ): CelType {
    if (node.resolved === '_&&_' || node.resolved === '_||_') return this.#logical(node, candidates, args);
    const given = target === undefined ? args : [target, ...args];
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of candidates) {
      if (overload.member !== (target !== undefined) || overload.parameters.length !== given.length) continue;
      const { parameters, result: returned } = this.#instantiate(overload);
      if (!this.#substitution.assignAll(given, parameters)) continue;
      fitting.push(overload);
      const type = this.#substitution.apply(returned);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(result, type)) result = dynType;
    }
    if (result === undefined) return this.#noOverload(node, target, args);
    node.overloads = fitting;
    return result;
  }

  #noOverload(node: Call, target: CelType | undefined, args: readonly CelType[]): CelType {
    const list = `(${args.map(this.#shown).join(', ')})`;
    return this.#issue(
      node.offset,
      `found no matching overload for '${node.resolved}' applied to ` +
        `'${target === undefined ? '' : `${this.#shown(target)}.`}${list}'`,
    );
  }

  #logical(node: Call, overloads: readonly Overload[], args: readonly CelType[]): CelType {
    node.overloads = overloads;
    args.forEach((arg, i) => this.#expectBool(arg, node.args[i]!));
    return boolType;
  }

  #expectBool(type: CelType, node: Node): void {
    if (!this.#substitution.assign(type, boolType)) this.#mismatch(node, boolType, type);
  }

  #mismatch(node: Node, wanted: CelType, found: CelType): void {
    this.#issue(node.offset, `expected type '${this.#shown(wanted)}' but found '${this.#shown(found)}'`);
  }

  readonly #shown = (type: CelType): string => typeText(this.#substitution.close(type, new Map()));

  /** The overload with parameters of its own for this call. */
  #instantiate(overload: Overload): { readonly parameters: readonly CelType[]; readonly result: CelType } {
    const { parameters, result } = overload;
    if (!result.open && !parameters.some(({ open }) => open)) return overload;
    const own = new Map<string, CelType>();
    const renewed = (type: CelType): CelType => {
      if (!type.open) return type;
      if (type.kind !== 'parameter') return withParameters(type, renewed);
      let parameter = own.get(type.name);
      if (parameter === undefined) {
        parameter = this.#substitution.newParameter();
        own.set(type.name, parameter);
      }
      return parameter;
    };
    return { parameters: parameters.map(renewed), result: renewed(result) };
  }

  #list(node: ListNode): CelType {
    let element: CelType | undefined;
    for (const { value, optional } of node.items) element = this.#join(element, this.#element(value, optional), value);
    return listType(element ?? this.#substitution.newParameter());
  }

  #map(node: MapNode): CelType {
    let key: CelType | undefined;
    let element: CelType | undefined;
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key), entry.key);
      element = this.#join(element, this.#element(entry.value, entry.optional), entry.value);
    }
    return mapType(key ?? this.#substitution.newParameter(), element ?? this.#substitution.newParameter());
  }

  /** After `?` stands an optional of what the aggregate holds. */
  #element(value: Node, optional: boolean): CelType {
    const type = this.check(value);
    if (!optional) return type;
    const inner = this.#substitution.newParameter();
    if (this.#substitution.assign(type, optionalType(inner))) return this.#substitution.apply(inner);
    this.#mismatch(value, optionalType(dynType), type);
    return errorType;
  }

  #join(before: CelType | undefined, next: CelType, node: Node): CelType {
    if (before === undefined) return next;
    if (this.#substitution.assign(next, before)) return this.#substitution.moreGeneral(before, next);
    if (this.#scope.homogeneous && !this.#mixed) this.#mismatch(node, before, next);
    return dynType;
  }

  #struct(node: StructNode): CelType {
    const message = this.#scope.messages?.(bareName(node.name));
    if (message === undefined) {
      for (const { value } of node.fields) this.check(value);
      return this.#undeclared(bareName(node.name), node.offset);
    }
    node.resolved = message;
    for (const { name, value, optional, offset } of node.fields) {
      const given = this.#element(value, optional);
      const wanted = message.field(name);
      if (wanted === undefined) this.#issue(offset, `undefined field '${name}'`);
      else if (!this.#substitution.assign(given, wanted))
        this.#issue(
          offset,
          `expected type of field '${name}' is '${this.#shown(wanted)}' but provided type is '${this.#shown(given)}'`,
        );
    }
    return message.type;
  }

  #comprehension(node: Comprehension): CelType {
    const range = this.#substitution.apply(this.check(node.range));
    const accumulator = this.check(node.init);
    const depth = this.#locals.length;
    const [first, second] = this.#variableTypes(range, node);
    this.#locals.push({ name: node.accumulator, type: accumulator });
    const result = (): CelType => this.check(node.result);
    this.#locals.push({ name: node.variable, type: first });
    if (node.second !== undefined) this.#locals.push({ name: node.second, type: second });
    this.#expectBool(this.check(node.condition), node.condition);
    const step = this.check(node.step);
    if (!this.#substitution.assign(step, accumulator)) this.#mismatch(node.step, accumulator, step);
    this.#locals.length = depth + 1;
    const type = result();
    this.#locals.length = depth;
    return this.#substitution.apply(type);
  }

  /** Of one variable its type; of two, those of index or key and of the value. */
  #variableTypes(range: CelType, node: Comprehension): [CelType, CelType] {
    const two = node.second !== undefined;
    switch (range.kind) {
      case 'list':
        return two ? [intType, range.parameters[0]!] : [range.parameters[0]!, dynType];
      case 'map':
        return [range.parameters[0]!, range.parameters[1]!];
      case 'parameter':
        this.#substitution.assign(dynType, range);
        return [dynType, dynType];
      case 'dyn':
      case 'error':
        return [dynType, dynType];
      default: {
        const type = this.#issue(
          node.range.offset,
          `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [type, type];
      }
    }
  }
}
