/**
 * Label selectors: matching, and reading the LabelSelector object of a spec (`label-selector-text.ts` parses the text
 * of `?labelSelector=`).
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors | Label
 *   selectors}
 */
import { aggregateText, invalid } from './field-error.ts';
import { FieldErrors, gathered } from './field-errors.ts';
import { FieldPath } from './field-path.ts';
import { isLabelValue, isQualifiedName } from './formats/names.ts';
import { goStrings } from './go-quote.ts';
import { readInteger } from './parse-integer.ts';

/** The operators in the text of a selector; `exists` and `!` have no operator there, only the key. */
export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** In the order given; a set for matching. */
  readonly values: readonly string[];
}

/** All requirements must hold; `[]` selects everything, `nothing` nothing. */
export type Requirements = readonly Requirement[] | typeof nothing;

export const nothing = 'nothing';
export const everything: Requirements = Object.freeze([]);

/** A LabelSelector object, as specs have it. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

/** A selector that cannot be understood; the message is what upstream answers. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** Labels as an object or a map. */
export type Labels = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

const labelOf = (labels: Labels | undefined, key: string): string | undefined => {
  if (labels === undefined) return undefined;
  if (isMap(labels)) return labels.get(key);
  return Object.hasOwn(labels, key) ? (labels as Readonly<Record<string, string>>)[key] : undefined;
};

/** Compact maps are no instances of `Map`; in an object of labels even one called `get` is text. */
const isMap = (labels: Labels): labels is ReadonlyMap<string, string> => typeof labels['get' as never] === 'function';

export function matchesLabels(requirements: Requirements, labels: Labels | undefined): boolean {
  if (requirements === nothing) return false;
  if (requirements.length > fewRequirements) return indexOf(requirements).matches(labels);
  return requirements.every((requirement) => matchesRequirement(requirement, labelOf(labels, requirement.key)));
}

/** More are better asked label by label: the objects that they are asked of have few. */
const fewRequirements = 8;

const indexes = new WeakMap<readonly Requirement[], RequirementIndex>();

function indexOf(requirements: readonly Requirement[]): RequirementIndex {
  let index = indexes.get(requirements);
  if (index === undefined) indexes.set(requirements, (index = new RequirementIndex(requirements)));
  return index;
}

/** Many requirements as one condition for each key: what an object is asked does not grow with their number. */
class RequirementIndex {
  readonly #byKey = new Map<string, KeyCondition>();
  /** Keys that must be there. */
  #needed = 0;

  constructor(requirements: readonly Requirement[]) {
    for (const requirement of requirements) {
      let condition = this.#byKey.get(requirement.key);
      if (condition === undefined) this.#byKey.set(requirement.key, (condition = new KeyCondition()));
      condition.add(requirement);
    }
    for (const { isNeeded } of this.#byKey.values()) if (isNeeded) this.#needed++;
  }

  matches(labels: Labels | undefined): boolean {
    let missing = this.#needed;
    for (const [key, value] of entriesOf(labels)) {
      const condition = this.#byKey.get(key);
      if (condition === undefined) continue;
      if (!condition.accepts(value)) return false;
      if (condition.isNeeded) missing--;
    }
    return missing === 0;
  }
}

/** All requirements of one key. */
class KeyCondition {
  isNeeded = false;
  #isAllowed = true;
  #allowed: ReadonlySet<string> | undefined;
  readonly #denied = new Set<string>();
  readonly #comparisons: Requirement[] = [];

  add(requirement: Requirement): void {
    const { operator, values } = requirement;
    if (operator === '!') this.#isAllowed = false;
    else if (operator === '!=' || operator === 'notin') for (const value of values) this.#denied.add(value);
    else this.isNeeded = true;
    if (operator === '=' || operator === '==' || operator === 'in') this.#allow(values);
    if (operator === 'gt' || operator === 'lt') this.#compare(requirement);
  }

  accepts(value: string): boolean {
    return (
      this.#isAllowed &&
      this.#allowed?.has(value) !== false &&
      !this.#denied.has(value) &&
      this.#comparisons.every((requirement) => matchesRequirement(requirement, value))
    );
  }

  #allow(values: readonly string[]): void {
    const known = this.#allowed;
    this.#allowed = new Set(known === undefined ? values : values.filter((value) => known.has(value)));
  }

  /** Of comparisons in one direction the narrowest is enough. */
  #compare(requirement: Requirement): void {
    const same = this.#comparisons.findIndex(({ operator }) => operator === requirement.operator);
    if (same < 0) this.#comparisons.push(requirement);
    else if (isNarrower(requirement, this.#comparisons[same]!)) this.#comparisons[same] = requirement;
  }
}

const isNarrower = (requirement: Requirement, other: Requirement): boolean =>
  matchesRequirement(other, requirement.values[0]) || integerOf(requirement.values[0]) === undefined;

const entriesOf = (labels: Labels | undefined): Iterable<[string, string]> =>
  labels === undefined
    ? []
    : isMap(labels)
      ? labels.entries()
      : Object.entries(labels as Readonly<Record<string, string>>);

/** What the requirements say of the values of labels without a choice: others may remain. */
export function equalities(requirements: Requirements): ReadonlyMap<string, string> {
  const equal = new Map<string, string>();
  for (const { key, operator, values } of requirements === nothing ? [] : requirements) {
    if (values.length === 1 && (operator === '=' || operator === '==' || operator === 'in')) equal.set(key, values[0]!);
  }
  return equal;
}

function matchesRequirement({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && hasValue(values, value);
    case '!=':
    case 'notin':
      return value === undefined || !hasValue(values, value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
      return compareIntegers(value, values, (a, b) => a > b);
    case 'lt':
      return compareIntegers(value, values, (a, b) => a < b);
  }
}

const fewValues = 8;
const valueSets = new WeakMap<readonly string[], ReadonlySet<string>>();

function hasValue(values: readonly string[], value: string): boolean {
  if (values.length <= fewValues) return values.includes(value);
  let known = valueSets.get(values);
  if (known === undefined) valueSets.set(values, (known = new Set(values)));
  return known.has(value);
}

function compareIntegers(
  value: string | undefined,
  values: readonly string[],
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const left = integerOf(value);
  const right = integerOf(values[0]);
  return left !== undefined && right !== undefined && holds(left, right);
}

function integerOf(text: string | undefined): bigint | undefined {
  const value = readInteger(text ?? '');
  return typeof value === 'bigint' ? value : undefined;
}

const objectOperators: Readonly<Record<string, SelectorOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/**
 * A LabelSelector object as requirements. An absent one selects nothing, an empty one everything. Throws {@link
 * SelectorError}.
 */
export function requirementsOf(selector: LabelSelector | undefined): Requirements {
  if (selector === undefined) return nothing;
  const requirements = requirementsOfMap(selector.matchLabels);
  for (const { key = '', operator = '', values = [] } of selector.matchExpressions ?? []) {
    const textOperator = Object.hasOwn(objectOperators, operator) ? objectOperators[operator] : undefined;
    if (textOperator === undefined) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    requirements.push(createRequirement(key, textOperator, values));
  }
  return sortByKey(requirements);
}

/** An equality selector as a map, as services and replication controllers have it. */
export function requirementsOfMap(labels: Readonly<Record<string, string>> | undefined): Requirement[] {
  return Object.keys(labels ?? {}).map((key) => createRequirement(key, '=', [labels![key]!]));
}

/** Sorts in place. */
export const sortByKey = (requirements: Requirement[]): Requirement[] =>
  requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

/** Checks key, number and syntax of the values. Throws {@link SelectorError} with every error. */
export function createRequirement(key: string, operator: SelectorOperator, values: readonly string[]): Requirement {
  if (isGood(key, operator, values)) return { key, operator, values };
  throw new SelectorError(aggregateText(gathered(() => requirementErrors(key, operator, values))));
}

/** Undefined for what {@link createRequirement} refuses. */
export const requirementOf = (
  key: string,
  operator: SelectorOperator,
  values: readonly string[],
): Requirement | undefined => (isGood(key, operator, values) ? { key, operator, values } : undefined);

export const isRequirementKey = (key: string): boolean => isQualifiedName(key).length === 0;

/** Throws {@link SelectorError}. */
export function checkRequirementKey(key: string, path: FieldPath): void {
  const messages = isQualifiedName(key);
  if (messages.length > 0) throw new SelectorError(aggregateText([invalid(path, key, messages.join('; '))]));
}

const isGood = (key: string, operator: SelectorOperator, values: readonly string[]): boolean =>
  isRequirementKey(key) &&
  countProblem(operator, values) === undefined &&
  values.every(
    (value) => isLabelValue(value).length === 0 && (!isComparison(operator) || integerOf(value) !== undefined),
  );

const isComparison = (operator: SelectorOperator): boolean => operator === 'gt' || operator === 'lt';

function countProblem(operator: SelectorOperator, { length }: readonly string[]): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return length === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return length === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function requirementErrors(key: string, operator: SelectorOperator, values: readonly string[]): FieldErrors {
  const errors = new FieldErrors();
  const keyMessages = isQualifiedName(key);
  if (keyMessages.length > 0) errors.push(invalid(FieldPath.of('key'), key, keyMessages.join('; ')));
  const path = FieldPath.of('values');
  const problem = countProblem(operator, values);
  if (problem !== undefined) errors.push(invalid(path, goStrings(values), problem));
  if (isComparison(operator)) {
    for (const [i, value] of values.entries())
      if (integerOf(value) === undefined)
        errors.push(invalid(path.index(i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  for (const [i, value] of values.entries()) {
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(invalid(path.index(i).key(key), value, messages.join('; ')));
  }
  return errors;
}
