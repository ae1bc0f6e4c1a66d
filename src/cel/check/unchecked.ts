/** Names and functions of an expression that is not type-checked: every overload is possible. */
import { argumentsOf, bareName, type Node, type StructNode } from '../syntax/ast.ts';
import type { Scope } from './checker.ts';
import type { FindMessage } from './messages.ts';

export function resolveOpenly(node: Node, scope: Scope, locals: readonly string[] = []): void {
  const visit = (part: Node, more: readonly string[] = []): void => resolveOpenly(part, scope, [...locals, ...more]);
  switch (node.kind) {
    case 'literal':
      return;
    case 'identifier':
      if (!locals.includes(node.name)) node.resolved = bareName(node.name);
      return;
    case 'select': {
      const name = dotted(node, locals);
      if (name !== undefined && !node.test && (scope.variables.has(name) || scope.types.has(name)))
        node.resolved = name;
      else visit(node.operand);
      return;
    }
    case 'call': {
      const prefix = node.target === undefined ? undefined : dotted(node.target, locals);
      const namespaced = prefix === undefined ? undefined : scope.functions.get(`${prefix}.${node.name}`);
      node.namespaced = namespaced !== undefined;
      const member = node.target !== undefined && !node.namespaced;
      node.overloads = (namespaced ?? scope.functions.get(node.name) ?? []).filter(
        (overload) => overload.member === member && overload.parameters.length === node.args.length + (member ? 1 : 0),
      );
      for (const arg of argumentsOf(node)) visit(arg);
      return;
    }
    case 'list':
      return void node.items.forEach(({ value }) => visit(value));
    case 'map':
      return void node.entries.forEach(({ key, value }) => [key, value].forEach((part) => visit(part)));
    case 'struct':
      node.fields.forEach(({ value }) => visit(value));
      if (scope.messages !== undefined) setMessage(node, scope.messages);
      return;
    case 'comprehension': {
      visit(node.range);
      visit(node.init);
      const inner = [node.accumulator, node.variable, ...(node.second === undefined ? [] : [node.second])];
      for (const part of [node.condition, node.step, node.result]) visit(part, inner);
      return;
    }
  }
}

function setMessage(node: StructNode, find: FindMessage): void {
  const message = find(bareName(node.name));
  if (message !== undefined) node.resolved = message;
}

function dotted(node: Node, locals: readonly string[]): string | undefined {
  if (node.kind === 'identifier') return locals.includes(node.name) ? undefined : bareName(node.name);
  if (node.kind !== 'select' || node.test) return undefined;
  const prefix = dotted(node.operand, locals);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
