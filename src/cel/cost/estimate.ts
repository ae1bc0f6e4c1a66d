/**
 * What a checked expression may cost at most, before any object is there: from the sizes that a schema allows.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
 *   | Resource use by validation functions}
 */
import type { Overload } from '../check/declarations.ts';
import type { CelType } from '../check/types.ts';
import { targetName } from '../syntax/macros.ts';
import { argumentsOf, type Call, type Comprehension, type Identifier, type Node, type Select } from '../syntax/ast.ts';
import { unit } from './call-estimates.ts';
import type { CallEstimate, CallSizes } from './call-sizes.ts';
import { either, exactly, nothing, one, plus, type Range, sum, times, unknown } from './range.ts';

/** Steps from a variable: its name, fields, and `@items`, `@keys`, `@values`. */
export type SizePath = readonly string[];

/** The size of what is at a path, as the schema limits it; undefined when nothing is known. */
export type SizeOf = (path: SizePath) => Range | undefined;

/** The largest cost. The tree must have been checked. */
export function estimateCost(node: Node, sizeOf: SizeOf): number {
  return new Estimator(sizeOf).cost(node).max;
}

interface Local {
  readonly name: string;
  readonly path: SizePath | undefined;
  /** When it stands for an expression that is written once. */
  readonly cost?: Range;
}

const scalars = new Set<CelType['kind']>(['bool', 'int', 'uint', 'double', 'duration', 'timestamp']);
const literalListCost = 10;
const literalMapCost = 30;
const messageCost = 40;

const literalInt = (node: Node | undefined): number | undefined =>
  node?.kind === 'literal' && node.literal.kind === 'int' ? Number(node.literal.value) : undefined;

class Estimator {
  readonly #sizeOf: SizeOf;
  readonly #sizes = new Map<Node, Range>();
  readonly #paths = new Map<Node, SizePath>();
  readonly #locals: Local[] = [];

  constructor(sizeOf: SizeOf) {
    this.#sizeOf = sizeOf;
  }

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return nothing;
      case 'identifier':
        return this.#identifier(node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return plus(exactly(literalListCost), sum(node.items.map(({ value }) => this.cost(value))));
      case 'map':
        return plus(
          exactly(literalMapCost),
          sum(node.entries.map(({ key, value }) => plus(this.cost(key), this.cost(value)))),
        );
      case 'struct':
        return plus(exactly(messageCost), sum(node.fields.map(({ value }) => this.cost(value))));
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #identifier(node: Identifier): Range {
    const local = this.#locals.findLast(({ name }) => name === node.name);
    this.#setPath(node, local === undefined ? [node.resolved ?? node.name] : local.path);
    return local?.cost ?? one;
  }

  #setPath(node: Node, path: SizePath | undefined): void {
    if (path !== undefined) this.#paths.set(node, path);
  }

  #extend(node: Node, from: Node, step: string): void {
    const path = this.#paths.get(from);
    if (path !== undefined) this.#paths.set(node, [...path, step]);
  }

  #select(node: Select): Range {
    if (node.resolved !== undefined) {
      this.#setPath(node, [node.resolved]);
      return one;
    }
    const operand = this.cost(node.operand);
    this.#extend(node, node.operand, node.field);
    if (node.test) return operand;
    const { kind } = node.operand.type!;
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? plus(operand, one) : operand;
  }

  #call(node: Call): Range {
    const args = argumentsOf(node);
    const costs = args.map((arg) => this.cost(arg));
    const sizes: CallSizes = {
      types: args.map(({ type }) => type!),
      literalInt: (i) => literalInt(args[i]),
      costs,
      size: (i) => this.#size(args[i]!),
      computedSize: (i) => this.#computedSize(args[i]!),
      elementSize: (i) => this.#elementSize(args[i]!),
    };
    const overloads = node.overloads ?? [];
    if (overloads.length === 0) return plus(sum(costs), node.name === '_?._' ? one : nothing);
    const estimates = overloads.map((overload) => this.#overload(overload, sizes, node, args));
    const result = estimates.map(({ size }) => size).filter((size) => size !== undefined);
    if (result.length > 0) this.#sizes.set(node, result.reduce(either));
    return estimates.map(({ cost }) => cost).reduce(either);
  }

  #overload({ id, estimate = unit }: Overload, sizes: CallSizes, node: Node, args: readonly Node[]): CallEstimate {
    if (id === 'index_list') this.#extend(node, args[0]!, '@items');
    if (id === 'index_map') this.#extend(node, args[0]!, '@values');
    return estimate(sizes);
  }

  #comprehension(node: Comprehension): Range {
    if (node.accumulator === targetName) return this.#named(node);
    const start = plus(this.cost(node.range), this.cost(node.init));
    const depth = this.#locals.length;
    this.#locals.push({ name: node.accumulator, path: this.#paths.get(node.init) });
    this.#locals.push(...this.#variables(node));
    const round = plus(this.cost(node.condition), this.cost(node.step));
    this.#locals.length = depth + 1;
    const result = this.cost(node.result);
    this.#locals.length = depth;
    const count = this.#size(node.range);
    this.#sizes.set(node, node.shape?.kind === 'bind' ? this.#size(node.result) : count);
    return plus(plus(start, result), times(count, round));
  }

  /** A target that has a name costs wherever the name is used, as if it stood there. */
  #named({ accumulator, init, result }: Comprehension): Range {
    const cost = this.cost(init);
    this.#locals.push({ name: accumulator, path: this.#paths.get(init), cost });
    const total = this.cost(result);
    this.#locals.pop();
    return total;
  }

  /** Of a second variable upstream knows no size. */
  #variables({ range, variable, second }: Comprehension): Local[] {
    const path = this.#paths.get(range);
    const first = {
      name: variable,
      path: path === undefined ? undefined : [...path, range.type!.kind === 'map' ? '@keys' : '@items'],
    };
    return second === undefined ? [first] : [first, { name: second, path: undefined }];
  }

  #size(node: Node): Range {
    return (
      this.#computedSize(node) ??
      this.#schemaSize(this.#paths.get(node)) ??
      (scalars.has(node.type!.kind) ? one : unknown)
    );
  }

  #computedSize(node: Node): Range | undefined {
    return this.#sizes.get(node) ?? literalSize(node);
  }

  #elementSize(node: Node): Range {
    const path = this.#paths.get(node);
    return this.#schemaSize(path === undefined ? undefined : [...path, '@items']) ?? unknown;
  }

  #schemaSize(path: SizePath | undefined): Range | undefined {
    return path === undefined ? undefined : this.#sizeOf(path);
  }
}

function literalSize(node: Node): Range | undefined {
  if (node.kind === 'list') return exactly(node.items.length);
  if (node.kind === 'map') return exactly(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  return node.literal.kind === 'string' || node.literal.kind === 'bytes' ? exactly(node.literal.value.length) : one;
}
