/**
 * Policies with their bindings, and the index that says which of them a request may concern. It is made anew when a
 * policy or a binding changes, at the next request.
 */
import type { MatchResources, ParamKind, ParamRef } from '../../../api/gen/types/admissionregistration-v1.ts';
import { compareText } from '../../../machinery/compare-text.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { isPolicy } from '../matching/exempt.ts';
import { type MatchCriteria, MatchIndex } from '../matching/match-index.ts';
import { createSelectorParts, type SelectorParts } from '../matching/selectors.ts';

export interface Policy extends KubeObject {
  readonly spec: {
    readonly matchConstraints?: MatchResources;
    readonly paramKind?: ParamKind;
    readonly failurePolicy?: string;
  };
}

export interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

type Matching = MatchCriteria & SelectorParts;

export type BoundBinding<B extends Binding> = Matching & { readonly binding: B };

/** A policy with what binds it. One that is not bound is not asked. */
export type BoundPolicy<P extends Policy, B extends Binding, C> = Matching & {
  readonly policy: P;
  /** By name. */
  readonly bindings: readonly BoundBinding<B>[];
  /** What its expressions were compiled to: at the first use, and again when its spec has changed. */
  compiled(): Promise<C>;
};

export type PolicyIndex<P extends Policy, B extends Binding, C> = MatchIndex<BoundPolicy<P, B, C>>;

/** Does not reject. */
export type CompilePolicy<P, C> = (policy: P) => Promise<C>;

export class BoundPolicies<P extends Policy, B extends Binding, C> {
  readonly #compilePolicy: CompilePolicy<P, C>;
  /** By name of the policy. */
  readonly #compiled = new Map<string, { readonly version: string; readonly result: Promise<C> }>();

  constructor(compile: CompilePolicy<P, C>) {
    this.#compilePolicy = compile;
  }

  /** Policies come in the order of their names. */
  index(policies: Iterable<P>, bindings: Iterable<B>): PolicyIndex<P, B, C> {
    const bound = new Map<string, B[]>();
    for (const binding of sortedByName(bindings)) {
      const name = binding.spec.policyName ?? '';
      const others = bound.get(name);
      if (others === undefined) bound.set(name, [binding]);
      else others.push(binding);
    }
    const sorted = sortedByName(policies);
    this.#forgetOthers(sorted);
    return new MatchIndex(
      sorted.flatMap((policy) => {
        const own = bound.get(nameOf(policy));
        return own === undefined ? [] : [this.#bind(policy, own)];
      }),
      isPolicy,
    );
  }

  #bind(policy: P, bindings: readonly B[]): BoundPolicy<P, B, C> {
    return {
      policy,
      ...matching(policy.spec.matchConstraints),
      bindings: bindings.map((binding) => ({ binding, ...matching(binding.spec.matchResources) })),
      compiled: () => this.#compile(policy),
    };
  }

  #compile(policy: P): Promise<C> {
    const name = nameOf(policy);
    const version = versionOf(policy);
    let compiled = this.#compiled.get(name);
    if (compiled?.version !== version)
      this.#compiled.set(name, (compiled = { version, result: this.#compilePolicy(policy) }));
    return compiled.result;
  }

  #forgetOthers(policies: readonly P[]): void {
    const names = new Set(policies.map(nameOf));
    for (const name of this.#compiled.keys()) if (!names.has(name)) this.#compiled.delete(name);
  }
}

function matching(resources: MatchResources = {}): Matching {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = resources;
  return {
    rules: resourceRules.length === 0 ? undefined : resourceRules,
    excludeRules: excludeResourceRules,
    matchPolicy,
    ...createSelectorParts(resources),
  };
}

export const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? '';

/** What changes when the spec does, and not when the status does. */
export const versionOf = ({ metadata }: KubeObject): string => `${metadata?.uid} ${metadata?.generation}`;

const sortedByName = <T extends KubeObject>(objects: Iterable<T>): T[] =>
  [...objects].sort((a, b) => compareText(nameOf(a), nameOf(b)));
