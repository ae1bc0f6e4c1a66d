/** What both dialects do with operations: group them by path, and lift the parameters that all of a path share. */
import type { JsonObject } from '../../machinery/value.ts';
import type { Operation } from './operation.ts';
import type { Parameter } from './parameters.ts';

export interface PathItem {
  readonly path: string;
  readonly shared: readonly Parameter[];
  readonly operations: readonly { readonly operation: Operation; readonly own: readonly Parameter[] }[];
}

/** Sorted by path. */
export function pathItems(operations: readonly Operation[]): PathItem[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  return [...byPath]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, all]) => {
      const shared =
        all[0]?.parameters.filter((parameter) => all.every(({ parameters }) => includes(parameters, parameter))) ?? [];
      const own = ({ parameters }: Operation): Parameter[] =>
        parameters.filter((parameter) => !includes(shared, parameter));
      return { path, shared, operations: all.map((operation) => ({ operation, own: own(operation) })) };
    });
}

const includes = (parameters: readonly Parameter[], { name, in: where }: Parameter): boolean =>
  parameters.some((other) => other.name === name && other.in === where);

/** Types that the bodies and answers of operations name. */
export function namedTypes(operations: readonly Operation[]): Set<string> {
  const found = operations.flatMap(({ body, responses }) => [
    body?.type,
    ...Object.values(responses).map(({ type }) => type),
  ]);
  return new Set(found.filter((type) => type !== undefined && type !== 'string') as string[]);
}

/** The vendor extensions of an operation. */
export function operationExtensions({ action, kind }: Operation): JsonObject {
  return {
    ...(action && { 'x-kubernetes-action': action }),
    ...(action &&
      kind && { 'x-kubernetes-group-version-kind': { group: kind.group, kind: kind.kind, version: kind.version } }),
  };
}

export const SECURITY_SCHEME: JsonObject = {
  BearerToken: {
    description: 'A token in the form "Bearer TOKEN".',
    type: 'apiKey',
    name: 'authorization',
    in: 'header',
  },
};
