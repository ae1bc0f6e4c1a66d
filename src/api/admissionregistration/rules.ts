/**
 * Which requests a webhook or a policy is for. @see {@link
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules |
 * Matching requests: rules}
 */
import type {
  NamedRuleWithOperations,
  OperationType,
  RuleWithOperations,
} from '../gen/types/admissionregistration-v1.ts';
import { duplicate, invalid, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isPathSegmentName } from '../../machinery/formats/names.ts';
import { goNames, goStrings, type GoSyntax } from '../../machinery/go-quote.ts';
import { checkEnum, checkFormat } from '../meta/checks.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export function setRuleDefaults(rule: { scope?: string }): void {
  rule.scope ??= '*';
}

export function checkRule(rule: RuleWithOperations, path: FieldPath, errors: FieldErrors): void {
  checkList(rule.operations, path.child('operations'), errors, 'operations', shownOperations);
  rule.operations?.forEach((operation, i) =>
    checkEnum(operation, operations, path.child('operations').index(i), errors),
  );
  checkList(rule.apiGroups, path.child('apiGroups'), errors, 'API groups', goStrings);
  checkList(rule.apiVersions, path.child('apiVersions'), errors, 'API versions', goStrings);
  rule.apiVersions?.forEach((version, i) => {
    if (version === '') errors.push(required(path.child('apiVersions').index(i)));
  });
  checkResources(rule.resources ?? [], path.child('resources'), errors);
  if (rule.scope !== undefined) checkEnum(rule.scope, scopes, path.child('scope'), errors);
}

const shownOperations = (list: readonly OperationType[]): GoSyntax =>
  goNames('[]admissionregistration.OperationType', list);

/** Something has to be there, and `*` stands alone. */
function checkList<T extends string>(
  list: readonly T[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  noun: string,
  shown: (list: readonly T[]) => GoSyntax,
): void {
  if (list === undefined || list.length === 0) errors.push(required(path));
  else if (list.length > 1 && list.includes('*' as T))
    errors.push(invalid(path, shown(list), `if '*' is present, must not specify other ${noun}`));
}

/**
 * `pods`, `pods/log`, `pods/*`, `* /log`, `*`, `* /*` (without the blanks): what a wildcard covers is not named again.
 */
function checkResources(resources: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (resources.length === 0) errors.push(required(path));
  const allSubresourcesOf = new Set<string>();
  const subresourceOfAll = new Set<string>();
  resources.forEach((text, i) => {
    if (text === '') return void errors.push(required(path.index(i)));
    const slash = text.indexOf('/');
    if (slash < 0) return;
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (allSubresourcesOf.has(resource))
      errors.push(invalid(path.index(i), text, `if '${resource}/*' is present, must not specify ${text}`));
    if (subresourceOfAll.has(subresource))
      errors.push(invalid(path.index(i), text, `if '*/${subresource}' is present, must not specify ${text}`));
    if (subresource === '*') allSubresourcesOf.add(resource);
    if (resource === '*') subresourceOfAll.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, goStrings(resources), "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && resources.some((text) => text !== '' && text !== '*' && !text.includes('/'))) {
    errors.push(
      invalid(path, goStrings(resources), "if '*' is present, must not specify other resources without subresources"),
    );
  }
}

export function checkNamedRule(rule: NamedRuleWithOperations, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  rule.resourceNames?.forEach((name, i) => {
    const at = path.child('resourceNames').index(i);
    checkFormat(isPathSegmentName, name, at, errors);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  });
  checkRule(rule, path, errors);
}
