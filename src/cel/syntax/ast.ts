/**
 * The syntax tree of an expression. Operators are calls of functions with reserved names (`_+_`, `_&&_`), macros are
 * already expanded, as in the language definition: checker, cost and evaluation handle few kinds of nodes.
 */
import type { CelType } from '../check/types.ts';
import type { Overload } from '../check/declarations.ts';
import type { MessageType } from '../check/messages.ts';

export type Node = Literal | Identifier | Select | Call | ListNode | MapNode | StructNode | Comprehension;

interface Base {
  /** Where its operator or first character stands, for messages. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType | undefined;
}

export type LiteralValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: number | bigint }
  | { readonly kind: 'uint'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array };

export interface Literal extends Base {
  readonly kind: 'literal';
  readonly literal: LiteralValue;
}

export interface Identifier extends Base {
  readonly kind: 'identifier';
  /** With a leading dot it names something outside of any container and is no iteration variable. */
  readonly name: string;
  /** Set by the checker: the declared name that this stands for. */
  resolved?: string | undefined;
}

export interface Select extends Base {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** `has(a.b)` */
  readonly test: boolean;
  /** `a.?b`: gives an optional. */
  readonly optional: boolean;
  /** Set by the checker: the chain `a.b.c` is one declared name. */
  resolved?: string;
}

export interface Call extends Base {
  readonly kind: 'call';
  readonly name: string;
  /** Absent for a global function. */
  readonly target: Node | undefined;
  readonly args: readonly Node[];
  /** Set by the checker: what fits the types. */
  overloads?: readonly Overload[] | undefined;
  resolved?: string | undefined;
  /** Set by the checker: the target is the first part of the function's name, as in `optional.of(x)`. */
  namespaced?: boolean;
}

/**
 * The most common nodes, with members reserved for the results of the checker: adding those later takes longer than the
 * rest of parsing.
 */
export const literalNode = (offset: number, literal: LiteralValue): Literal => ({
  kind: 'literal',
  offset,
  type: undefined,
  literal,
});
export const identifierNode = (offset: number, name: string): Identifier => ({
  kind: 'identifier',
  offset,
  type: undefined,
  name,
  resolved: undefined,
});
export const listNode = (offset: number, items: ListNode['items']): ListNode => ({
  kind: 'list',
  offset,
  type: undefined,
  items,
});
export const callNode = (offset: number, name: string, target: Node | undefined, args: readonly Node[]): Call => ({
  kind: 'call',
  offset,
  type: undefined,
  name,
  target,
  args,
  overloads: undefined,
  resolved: undefined,
  namespaced: false,
});

/** A name without the dot before it. */
export const bareName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name);

/** The target of a method comes first. */
export const argumentsOf = ({ target, args, namespaced }: Call): readonly Node[] =>
  target === undefined || namespaced === true ? args : [target, ...args];

export interface ListNode extends Base {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Node; readonly optional: boolean }[];
}

export interface MapNode extends Base {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Node; readonly value: Node; readonly optional: boolean }[];
}

export interface StructNode extends Base {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly offset: number;
    readonly value: Node;
    readonly optional: boolean;
  }[];
  /** Set by the checker. */
  resolved?: MessageType;
}

/**
 * A fold: `accumulator` starts as `init`; for each element of `range` while `condition` holds it becomes `step`; the
 * value is `result`. One variable stands for an element of a list or a key of a map; two for index and element, or key
 * and value.
 */
export interface Comprehension extends Base {
  readonly kind: 'comprehension';
  readonly variable: string;
  readonly second: string | undefined;
  readonly range: Node;
  readonly accumulator: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
  /** Which macro this is: evaluation takes a shorter way with the same cost. */
  readonly shape: Shape | undefined;
}

export type Shape =
  | { readonly kind: 'all' | 'exists' | 'exists_one'; readonly predicate: Node }
  | { readonly kind: 'collect'; readonly predicate: Node | undefined; readonly value: Node }
  /** Puts entries into a map; `insertion` is a call with the accumulator as its first argument. */
  | { readonly kind: 'insert'; readonly predicate: Node | undefined; readonly insertion: Node }
  | { readonly kind: 'bind'; readonly value: Node };

/** The nodes directly below. */
export function eachPart(node: Node, visit: (part: Node) => void): void {
  switch (node.kind) {
    case 'literal':
    case 'identifier':
      return;
    case 'select':
      return visit(node.operand);
    case 'call':
      if (node.target !== undefined && node.namespaced !== true) visit(node.target);
      return node.args.forEach(visit);
    case 'list':
      return node.items.forEach(({ value }) => visit(value));
    case 'map':
      return node.entries.forEach(({ key, value }) => {
        visit(key);
        visit(value);
      });
    case 'struct':
      return node.fields.forEach(({ value }) => visit(value));
    case 'comprehension':
      return [node.range, node.init, node.condition, node.step, node.result].forEach(visit);
  }
}

export const accumulatorName = '__result__';

/** Whether a name occurs free in the expression; inner variables of the same name hide it. */
export function usesVariable(node: Node, name: string): boolean {
  switch (node.kind) {
    case 'literal':
      return false;
    case 'identifier':
      return node.name === name;
    case 'select':
      return usesVariable(node.operand, name);
    case 'call':
      return (
        (node.target !== undefined && usesVariable(node.target, name)) ||
        node.args.some((arg) => usesVariable(arg, name))
      );
    case 'list':
      return node.items.some(({ value }) => usesVariable(value, name));
    case 'map':
      return node.entries.some(({ key, value }) => usesVariable(key, name) || usesVariable(value, name));
    case 'struct':
      return node.fields.some(({ value }) => usesVariable(value, name));
    case 'comprehension': {
      if (usesVariable(node.range, name) || usesVariable(node.init, name)) return true;
      if (node.variable === name || node.second === name || node.accumulator === name) return false;
      return usesVariable(node.condition, name) || usesVariable(node.step, name) || usesVariable(node.result, name);
    }
  }
}
