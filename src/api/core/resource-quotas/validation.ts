/** @see {@link https://kubernetes.io/docs/concepts/policy/resource-quotas/ | Resource Quotas} */
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../gen/types/core-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { immutableMessage } from '../../../machinery/formats/messages.ts';
import { goNames, type GoSyntax, goStrings } from '../../../machinery/go-quote.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkResourceAmount, checkResourceName, shownResource } from '../resources/resource-amounts.ts';
import { isStandardResourceName } from '../resources/resource-names.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

export function validateResourceQuota({ metadata, spec, status }: ResourceQuota): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(spec, errors);
  checkAmounts(status.hard, statusPath.child('hard'), errors);
  checkAmounts(status.used, statusPath.child('used'), errors);
  return errors;
}

export function validateResourceQuotaUpdate(object: ResourceQuota, old: ResourceQuota): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkSpec(object.spec, errors);
  if (!isSameSet(object.spec.scopes, old.spec.scopes))
    errors.push(invalid(specPath.child('scopes'), shownScopes(object.spec), immutableMessage));
  return errors;
}

export function validateResourceQuotaStatusUpdate(object: ResourceQuota, old: ResourceQuota): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkAmounts(object.status.hard, statusPath.child('hard'), errors);
  checkAmounts(object.status.used, statusPath.child('used'), errors);
  return errors;
}

function isSameSet(a: readonly string[] = [], b: readonly string[] = []): boolean {
  const [inA, inB] = [new Set(a), new Set(b)];
  return inA.size === inB.size && a.every((item) => inB.has(item));
}

function checkSpec(spec: ResourceQuotaSpec, errors: FieldErrors): void {
  checkAmounts(spec.hard, specPath.child('hard'), errors);
  checkScopes(spec, specPath.child('scopes'), errors);
  checkScopeSelector(spec, specPath.child('scopeSelector', 'matchExpressions'), errors);
}

/** Of the resources that the API knows only plain storage has no quota. */
const isStandardQuotaName = (name: string): boolean => isStandardResourceName(name) && name !== 'storage';

function checkAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of Object.keys(amounts ?? {}).sort()) {
    const at = path.key(name);
    checkResourceName(name, at, errors);
    if (!name.includes('/') && !isStandardQuotaName(name))
      errors.push(invalid(at, shownResource(name), 'must be a standard resource for quota'));
    checkResourceAmount(name, amounts![name]!, at, errors);
  }
}

const podCounts = ['pods'];
const podResources = [...podCounts, 'cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** What can be counted of the pods of a scope; pods of best effort ask for nothing. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  Terminating: podResources,
  NotTerminating: podResources,
  BestEffort: podCounts,
  NotBestEffort: podResources,
  PriorityClass: podResources,
  CrossNamespacePodAffinity: podResources,
};

const isScope = (scope: string): boolean => Object.hasOwn(resourcesOfScope, scope);

/** How many resources each scope has nothing to do with; one error for each. */
function foreignResources({ hard }: ResourceQuotaSpec): (scope: string) => number {
  const counts = new Map<string, number>();
  const standard = Object.keys(hard ?? {}).filter(isStandardQuotaName);
  return (scope) => {
    const count =
      counts.get(scope) ??
      (isScope(scope) ? standard.filter((name) => !resourcesOfScope[scope]!.includes(name)).length : 0);
    counts.set(scope, count);
    return count;
  };
}

const excludingPairs: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const conflicts = (scopes: readonly string[]): number =>
  excludingPairs.filter(([a, b]) => scopes.includes(a) && scopes.includes(b)).length;

const shownScopes = ({ scopes }: ResourceQuotaSpec): GoSyntax => goNames('[]core.ResourceQuotaScope', scopes);

function checkScopes(spec: ResourceQuotaSpec, path: FieldPath, errors: FieldErrors): void {
  const { scopes = [] } = spec;
  let shown: GoSyntax | undefined;
  const refuse = (detail: string): void => void errors.push(invalid(path, (shown ??= shownScopes(spec)), detail));
  const foreign = foreignResources(spec);
  for (const scope of scopes) {
    if (!isScope(scope)) refuse('unsupported scope');
    for (let i = foreign(scope); i > 0; i--) refuse('unsupported scope applied to resource');
  }
  for (let i = conflicts(scopes); i > 0; i--) refuse('conflicting scopes');
}

function checkScopeSelector(spec: ResourceQuotaSpec, path: FieldPath, errors: FieldErrors): void {
  const { scopeSelector } = spec;
  if (scopeSelector === undefined) return;
  const { matchExpressions = [] } = scopeSelector;
  let shown: GoSyntax | undefined;
  const refuse = (detail: string): void =>
    void errors.push(invalid(path, (shown ??= shownStruct('core/v1.ScopeSelector', scopeSelector)), detail));
  const foreign = foreignResources(spec);
  for (const requirement of matchExpressions) {
    const scopeName = requirement.scopeName ?? '';
    if (!isScope(scopeName)) errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'));
    for (let i = foreign(scopeName); i > 0; i--) refuse('unsupported scope applied to resource');
    checkRequirement(requirement, path, errors);
  }
  // Upstream shows the scopes of the quota and not those of the selector.
  for (let i = conflicts(matchExpressions.map(({ scopeName }) => scopeName ?? '')); i > 0; i--)
    errors.push(invalid(path, shownScopes(spec), 'conflicting scopes'));
}

const onlyExists =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

function checkRequirement(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (scopeName !== undefined && isScope(scopeName) && scopeName !== 'PriorityClass' && operator !== 'Exists')
    errors.push(invalid(path.child('operator'), operator ?? '', onlyExists));
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(
        required(
          path.child('values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        invalid(
          path.child('values'),
          goStrings(values),
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
  } else errors.push(invalid(path.child('operator'), operator ?? '', 'not a valid selector operator'));
}
