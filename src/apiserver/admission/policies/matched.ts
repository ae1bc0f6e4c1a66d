/** Which policies, bindings and parameters a request meets. */
import { isStatusError } from '../../../machinery/status.ts';
import type { Labels } from '../../../machinery/label-selector.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { type Candidate, formFor } from '../matching/match-index.ts';
import { namespaceOf } from '../matching/rules.ts';
import { namespaceLabels, type NamespaceReader } from '../matching/selectors.ts';
import type { Binding, BoundPolicy, Policy } from './bound-policies.ts';
import { ConfigurationProblem, type Param, type ParamReader } from './params.ts';

export interface MatchedPolicy<P extends Policy, B extends Binding, C> {
  readonly policy: P;
  readonly form: ResourceForm;
  readonly bindings: readonly MatchedBinding<B>[];
  compiled(): Promise<C>;
  /** What keeps the policy, or a binding, from being asked: the failure policy says what that means. */
  readonly problems: readonly Problem<B>[];
}

export interface MatchedBinding<B extends Binding> {
  readonly binding: B;
  readonly params: readonly Param[];
}

export interface Problem<B extends Binding> {
  /** Absent for one of the policy itself. */
  readonly binding: B | undefined;
  readonly message: string;
}

type Candidates<P extends Policy, B extends Binding, C> = readonly Candidate<BoundPolicy<P, B, C>>[];

export class PolicyMatcher<P extends Policy, B extends Binding, C> {
  readonly #params: ParamReader;
  readonly #objects: NamespaceReader;
  /** Of all candidates, those for a namespace with these labels. Found once while both stay as they are. */
  readonly #inNamespace = new WeakMap<Candidates<P, B, C>, WeakMap<Labels, Candidates<P, B, C>>>();

  constructor(params: ParamReader, objects: NamespaceReader) {
    this.#params = params;
    this.#objects = objects;
  }

  /** In the order of the candidates. */
  async *matched(
    candidates: Candidates<P, B, C>,
    attributes: AdmissionAttributes,
  ): AsyncGenerator<MatchedPolicy<P, B, C>> {
    const namespace = await this.#namespace(attributes);
    // What a request says of a namespace changes while it is admitted.
    const isKept = attributes.resource.resource !== 'namespaces';
    for (const { entry, form } of isKept ? this.#selected(candidates, namespace) : candidates) {
      const problem = policyProblem(entry, attributes, namespace);
      if (problem === 'no match') continue;
      const matched = { policy: entry.policy, form, compiled: () => entry.compiled() };
      if (problem === undefined) yield { ...matched, ...(await this.#bindings(entry, attributes, namespace)) };
      else yield { ...matched, bindings: [], problems: [policyFault(problem)] };
    }
  }

  async #namespace(attributes: AdmissionAttributes): Promise<NamespaceFound> {
    try {
      return { labels: await namespaceLabels(attributes, this.#objects) };
    } catch (error) {
      if (!isStatusError(error)) throw error;
      return { error };
    }
  }

  #selected(candidates: Candidates<P, B, C>, { labels }: NamespaceFound): Candidates<P, B, C> {
    if (labels === undefined) return candidates;
    let known = this.#inNamespace.get(candidates);
    if (known === undefined) this.#inNamespace.set(candidates, (known = new WeakMap()));
    let selected = known.get(labels);
    if (selected === undefined)
      known.set(labels, (selected = candidates.filter(({ entry }) => mayConcern(entry, labels))));
    return selected;
  }

  async #bindings(
    entry: BoundPolicy<P, B, C>,
    attributes: AdmissionAttributes,
    namespace: NamespaceFound,
  ): Promise<Pick<MatchedPolicy<P, B, C>, 'bindings' | 'problems'>> {
    const bindings: MatchedBinding<B>[] = [];
    const problems: Problem<B>[] = [];
    try {
      const kind = await this.#params.kindOf(entry.policy.spec.paramKind);
      for (const bound of entry.bindings) {
        const { binding } = bound;
        try {
          if (formFor(bound, attributes) === undefined || !isSelected(bound, attributes, namespace)) continue;
          const params = await this.#params.collect(kind, binding.spec.paramRef, namespaceOf(attributes));
          bindings.push({ binding, params });
        } catch (error) {
          problems.push({ binding, message: `failed to configure binding: ${problemText(error)}` });
        }
      }
    } catch (error) {
      problems.push(policyFault(error));
    }
    return { bindings, problems };
  }
}

/** The labels that selectors look at, none for what is in no namespace; or why there is no namespace. */
interface NamespaceFound {
  readonly labels?: Labels | undefined;
  readonly error?: Error;
}

type Selecting = Pick<BoundPolicy<Policy, Binding, unknown>, 'selectsObject' | 'selectsNamespace'>;

function isSelected(
  { selectsObject, selectsNamespace }: Selecting,
  attributes: AdmissionAttributes,
  { labels, error }: NamespaceFound,
): boolean {
  if (selectsObject?.(attributes) === false) return false;
  if (selectsNamespace === undefined) return true;
  if (error !== undefined) throw error;
  return labels === undefined || selectsNamespace(labels);
}

/** An error where the selectors cannot say it. */
function policyProblem(
  selecting: Selecting,
  attributes: AdmissionAttributes,
  namespace: NamespaceFound,
): 'no match' | Error | undefined {
  try {
    return isSelected(selecting, attributes, namespace) ? undefined : 'no match';
  } catch (error) {
    return error as Error;
  }
}

/** False only where neither the policy nor a binding can have anything to say about a namespace with these labels. */
function mayConcern(
  { policy, bindings, ...selecting }: BoundPolicy<Policy, Binding, unknown>,
  labels: Labels,
): boolean {
  const selects = ({ selectsNamespace }: Pick<Selecting, 'selectsNamespace'>): boolean =>
    selectsNamespace?.(labels) !== false;
  try {
    // A policy whose parameters are of a kind that is not there refuses what its bindings would not concern.
    return selects(selecting) && (policy.spec.paramKind !== undefined || bindings.some(selects));
  } catch {
    return true;
  }
}

const policyFault = (error: unknown): Problem<never> => ({
  binding: undefined,
  message: `failed to configure policy: ${problemText(error)}`,
});

/** Throws what is no problem of the configuration. */
function problemText(error: unknown): string {
  if (error instanceof ConfigurationProblem || isStatusError(error)) return error.message;
  throw error;
}
