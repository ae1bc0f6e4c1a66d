/**
 * What containers and pods ask for and may use at most.
 * @see {@link https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/ | Resource management}
 */
import type {
  ContainerResizePolicy,
  ResourceClaim,
  ResourceRequirements,
  RestartPolicy,
} from '../../gen/types/core-v1.ts';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { truncateText } from '../../../machinery/truncated-text.ts';
import { checkFormat } from '../../meta/checks.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkContainerResourceName, checkResourceAmount, shownResource } from '../resources/resource-amounts.ts';
import { isHugePageName, isMultipleOfPageSize, isOvercommitAllowed } from '../resources/resource-names.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

type Amounts = Readonly<Record<string, string>>;
type NameCheck = (name: string, path: FieldPath, errors: FieldErrors) => void;

export interface RequirementRules {
  readonly rules: PodValidationOptions;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  /** Default: what a container may ask for. */
  readonly checkName?: NameCheck;
}

export function checkRequirements(
  { limits, requests, claims }: ResourceRequirements,
  path: FieldPath,
  errors: FieldErrors,
  context: RequirementRules,
): void {
  if (limits !== undefined) checkAmounts(limits, path.child('limits'), errors, context);
  if (requests !== undefined) checkRequests(requests, limits, path, errors, context);
  if (hasAny(limits, requests, isHugePageName) && !hasAny(limits, requests, isCompute))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  if (claims !== undefined) checkClaims(claims, path.child('claims'), errors, context.claims);
}

const isCompute = (name: string): boolean => name === 'cpu' || name === 'memory';

function hasAny(a: Amounts | undefined, b: Amounts | undefined, test: (name: string) => boolean): boolean {
  for (const name in a) if (test(name)) return true;
  for (const name in b) if (test(name)) return true;
  return false;
}

function checkAmounts(amounts: Amounts, path: FieldPath, errors: FieldErrors, context: RequirementRules): void {
  for (const name in amounts) {
    const at = path.key(name);
    checkAmount(name, amounts[name]!, at, errors, context);
    checkPages(name, amounts[name]!, at, errors, context);
  }
}

function checkAmount(
  name: string,
  amount: string,
  path: FieldPath,
  errors: FieldErrors,
  { checkName = checkContainerResourceName }: RequirementRules,
): void {
  checkName(name, path, errors);
  checkResourceAmount(name, amount, path, errors);
}

function checkRequests(
  requests: Amounts,
  limits: Amounts | undefined,
  path: FieldPath,
  errors: FieldErrors,
  context: RequirementRules,
): void {
  const list = path.child('requests');
  for (const name in requests) {
    const at = list.key(name);
    const amount = requests[name]!;
    checkAmount(name, amount, at, errors, context);
    const limit = limits?.[name];
    if (limit !== undefined) checkBelowLimit(name, amount, limit, list, errors);
    else if (!isOvercommitAllowed(name))
      errors.push(required(path.child('limits'), 'Limit must be set for non overcommitable resources'));
    checkPages(name, amount, at, errors, context);
  }
}

/** Resources that cannot be promised twice are asked for exactly as they are limited. */
function checkBelowLimit(name: string, request: string, limit: string, path: FieldPath, errors: FieldErrors): void {
  if (request === limit) return;
  const order = quantityOf(request).compare(quantityOf(limit));
  if (order !== 0 && !isOvercommitAllowed(name))
    errors.push(invalid(path, request, `must be equal to ${name} limit of ${limit}`));
  else if (order > 0) errors.push(invalid(path, request, `must be less than or equal to ${name} limit of ${limit}`));
}

function checkPages(
  name: string,
  amount: string,
  path: FieldPath,
  errors: FieldErrors,
  { rules }: RequirementRules,
): void {
  if (!isHugePageName(name) || rules.indivisibleHugePages || isMultipleOfPageSize(name, quantityOf(amount))) return;
  errors.push(invalid(path, amount, `${amount} is not positive integer multiple of ${name}`));
}

/** What a container uses: whole claims and requests of claims, and of how many requests each claim. */
interface UsedClaims {
  readonly keys: Set<string>;
  readonly requests: Map<string, number>;
}

/** A claim is used once as a whole, or by several of its requests. */
function checkClaims(
  claims: readonly ResourceClaim[],
  path: FieldPath,
  errors: FieldErrors,
  podClaims: ReadonlySet<string>,
): void {
  const used: UsedClaims = { keys: new Set(), requests: new Map() };
  let known: string | undefined;
  claims.forEach(({ name = '', request }, i) => {
    const at = path.index(i);
    if (name === '') return void errors.push(required(at));
    checkClaimUse(name, request, at, errors, used);
    if (!podClaims.has(name)) errors.push(unknownClaim(name, at, (known ??= knownClaims(podClaims))));
  });
}

function checkClaimUse(
  name: string,
  request: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { keys, requests }: UsedClaims,
): void {
  if (keys.has(name)) return void errors.push(duplicate(path, name));
  if (request !== undefined) checkFormat(isDns1123Label, request, path.child('request'), errors);
  const key = request === undefined ? name : `${name}/${request}`;
  const isRepeated = keys.has(key);
  if (isRepeated) errors.push(duplicate(path, key));
  else if (request === undefined)
    for (let left = requests.get(name) ?? 0; left > 0; left--) errors.push(duplicate(path, name));
  if (!isRepeated && request !== undefined) requests.set(name, (requests.get(name) ?? 0) + 1);
  keys.add(key);
}

/** For the message of each claim that is not among them. */
const knownClaims = (podClaims: ReadonlySet<string>): string =>
  truncateText(podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`);

function unknownClaim(name: string, path: FieldPath, known: string): FieldError {
  const error = notFound(path, name);
  return { ...error, body: `${error.body}: must be one of the names in pod.spec.resourceClaims${known}` };
}

const resizeResources = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

export function checkResizePolicy(
  policies: readonly ContainerResizePolicy[] | undefined,
  restartPolicy: RestartPolicy | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policies === undefined) return;
  const seen = new Set<string>();
  policies.forEach(({ resourceName = '', restartPolicy: policy = '' }, i) => {
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), shownResource(resourceName)));
    seen.add(resourceName);
    if (resourceName === '') errors.push(required(path));
    else if (!resizeResources.includes(resourceName))
      errors.push(notSupported(path, shownResource(resourceName), resizeResources));
    if (policy === '') errors.push(required(path));
    else if (!resizePolicies.includes(policy)) errors.push(notSupported(path, policy, resizePolicies));
    if (restartPolicy === 'Never' && policy !== 'NotRequired')
      errors.push(invalid(path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
  });
}
