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
