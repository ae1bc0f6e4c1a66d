import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ResourceDefinition, ResourceStrategy, Strategy } from '../strategy.ts';

/** One resource as the generic code sees it: names as data, rules as functions. */
export interface ResourceRules {
  readonly group: string;
  /** Plural name. */
  readonly resourceName: string;
  readonly kind: { readonly group: string; readonly kind: string };
  readonly namespaced: boolean;
  readonly definition: ResourceDefinition;
  readonly resource: ResourceStrategy;
  /** The rules of the resource itself, or of a subresource that writes the same object. */
  strategyOf(subresource: string): Strategy;
}

/** The kind that errors name: what the object says it is, where it says so. */
export const kindOf = ({ kind }: KubeObject, rules: ResourceRules): ResourceRules['kind'] =>
  kind === undefined || kind === rules.kind.kind ? rules.kind : { group: rules.kind.group, kind };
