/**
 * Which of many webhooks or policies have rules for a request. What was found for a resource and an operation is found
 * once, and again when the resource changes; a new index is made when a configuration changes. So a request that
 * nothing is configured for costs two look-ups.
 */
import type { AdmissionAttributes, ObjectForms, ResourceForm } from '../../../registry/admission.ts';
import { type IsExempt, isExempt } from './exempt.ts';
import { matchedForm, type Rule } from './rules.ts';

export interface MatchCriteria {
  /** Absent where it matches whatever is not excluded. */
  readonly rules: readonly Rule[] | undefined;
  readonly excludeRules?: readonly Rule[];
  /** `Equivalent` when absent. */
  readonly matchPolicy?: string | undefined;
}

export interface Candidate<T> {
  readonly entry: T;
  /** In which it asks for the object. */
  readonly form: ResourceForm;
}

type Target = Pick<
  AdmissionAttributes,
  'operation' | 'subresource' | 'namespace' | 'name' | 'resource' | 'kind' | 'forms'
>;

/** The criteria alone, without selectors and conditions. */
export function formFor(criteria: MatchCriteria, target: Target): ResourceForm | undefined {
  const { rules, excludeRules = [], matchPolicy } = criteria;
  const forms = target.forms.all;
  if (matchedForm(excludeRules, matchPolicy, target, forms) !== undefined) return undefined;
  return rules === undefined
    ? { resource: target.resource, kind: target.kind }
    : matchedForm(rules, matchPolicy, target, forms);
}

const none: readonly never[] = [];

interface Found<T> {
  readonly candidates: readonly Candidate<T>[];
  /** Whether some of them depend on the name of the object. */
  readonly names: boolean;
}

export class MatchIndex<T extends MatchCriteria> {
  readonly #entries: readonly T[];
  readonly #isExempt: IsExempt;
  readonly #known = new WeakMap<ObjectForms, Map<string, Found<T>>>();

  /**
   * Candidates come in the order of the entries.
   *
   * @param exempts what none of them is asked about
   */
  constructor(entries: readonly T[], exempts: IsExempt = isExempt) {
    this.#entries = entries;
    this.#isExempt = exempts;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** The same list again while it holds for objects of any name. */
  candidates(target: Target): readonly Candidate<T>[] {
    if (this.isEmpty) return none;
    let known = this.#known.get(target.forms);
    if (known === undefined) this.#known.set(target.forms, (known = new Map()));
    let found = known.get(target.operation);
    if (found === undefined) {
      const candidates = this.#find(target);
      known.set(target.operation, (found = { candidates, names: candidates.some(({ entry }) => hasNames(entry)) }));
    }
    return found.names ? found.candidates.flatMap((candidate) => named(candidate, target)) : found.candidates;
  }

  /** Names of objects are left out: what is found holds for all objects. */
  #find(target: Target): readonly Candidate<T>[] {
    if (this.#isExempt(target)) return none;
    return this.#entries.flatMap((entry) => {
      const form = formFor({ ...entry, rules: entry.rules?.map(nameless), excludeRules: unnamed(entry) }, target);
      return form === undefined ? [] : [{ entry, form }];
    });
  }
}

const isNamed = ({ resourceNames = [] }: Rule): boolean => resourceNames.length > 0;

const nameless = (rule: Rule): Rule => (isNamed(rule) ? { ...rule, resourceNames: [] } : rule);

const unnamed = ({ excludeRules = [] }: MatchCriteria): readonly Rule[] =>
  excludeRules.filter((rule) => !isNamed(rule));

const hasNames = ({ rules = [], excludeRules = [] }: MatchCriteria): boolean =>
  rules.some(isNamed) || excludeRules.some(isNamed);

function named<T extends MatchCriteria>(candidate: Candidate<T>, target: Target): readonly Candidate<T>[] {
  const { entry } = candidate;
  if (!hasNames(entry)) return [candidate];
  const form = formFor(entry, target);
  return form === undefined ? [] : [{ entry, form }];
}
