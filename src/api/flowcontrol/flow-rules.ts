/** Rules of a FlowSchema: whose requests, and which of them. */
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../gen/types/flowcontrol-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { goStrings } from '../../machinery/go-quote.ts';
import { checkFormat, checkRequiredText, invalidEach } from '../meta/checks.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export function checkFlowRule(
  { subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (subjects.length === 0) errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  subjects.forEach((subject, i) => checkSubject(subject, path.child('subjects').index(i), errors));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  resourceRules.forEach((rule, i) => checkResourceRule(rule, path.child('resourceRules').index(i), errors));
  nonResourceRules.forEach((rule, i) => checkNonResourceRule(rule, path.child('nonResourceRules').index(i), errors));
}

/** Member of a subject by its kind. */
const members = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
type SubjectKind = keyof typeof members;

function checkSubject(subject: Subject, path: FieldPath, errors: FieldErrors): void {
  const kind = (subject.kind ?? '') as SubjectKind;
  const member = members[kind] as (typeof members)[SubjectKind] | undefined;
  if (member === undefined)
    return void errors.push(notSupported(path.child('kind'), kind, ['Group', 'ServiceAccount', 'User']));
  const value = subject[member];
  const at = path.child(member);
  if (value === undefined) errors.push(required(at, `${member} is required when subject kind is '${kind}'`));
  else if (member === 'serviceAccount') checkServiceAccount(value, at, errors);
  else checkRequiredText(value.name, at.child('name'), errors);
  for (const [other, name] of Object.entries(members)) {
    if (other !== kind && subject[name] !== undefined)
      errors.push(forbidden(path.child(name), `${name} is forbidden when subject kind is not '${other}'`));
  }
}

function checkServiceAccount(
  { name = '', namespace = '' }: ServiceAccountSubject,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === '') errors.push(required(path.child('name')));
  else if (name !== '*') checkFormat(isDns1123Subdomain, name, path.child('name'), errors);
  if (namespace === '') errors.push(required(path.child('namespace'), 'must specify namespace for service account'));
  else checkFormat(isDns1123Label, namespace, path.child('namespace'), errors);
}

function checkResourceRule(rule: ResourcePolicyRule, path: FieldPath, errors: FieldErrors): void {
  checkVerbs(rule.verbs, path.child('verbs'), errors);
  checkList(rule.apiGroups, path.child('apiGroups'), errors, {
    absent: 'resource rules must supply at least one api group',
    noun: 'api groups',
  });
  checkList(rule.resources, path.child('resources'), errors, {
    absent: 'resource rules must supply at least one resource',
    noun: 'resources',
  });
  const { namespaces = [], clusterScope = false } = rule;
  const at = path.child('namespaces');
  if (namespaces.length === 0) {
    if (!clusterScope)
      errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'));
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1)
      errors.push(invalid(at, goStrings(namespaces), "if '*' is present, must not specify other namespaces"));
  } else
    namespaces.forEach((namespace, i) =>
      invalidEach(
        isDns1123Label(namespace).map((why) => `each member of this list must be '*' or a DNS-1123 label; ${why}`),
        at.index(i),
        namespace,
        errors,
      ),
    );
}

function checkNonResourceRule(
  { verbs: list, nonResourceURLs: urls }: NonResourcePolicyRule,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkVerbs(list, path.child('verbs'), errors);
  const at = path.child('nonResourceURLs');
  checkList(urls, at, errors, { absent: 'nonResourceURLs must contain at least one value', noun: 'non-resource URLs' });
  if (urls?.includes('*') !== true) urls?.forEach((url, i) => checkUrlPath(url, at.index(i), errors));
}

function checkVerbs(list: readonly string[] | undefined, path: FieldPath, errors: FieldErrors): void {
  checkList(list, path, errors, { absent: 'verbs must contain at least one value', noun: 'verbs' });
  if (list === undefined || list.includes('*') || list.every((verb) => verbs.includes(verb))) return;
  errors.push(notSupported(path, goStrings(list), verbs));
}

function checkList(
  list: readonly string[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  { absent, noun }: { absent: string; noun: string },
): void {
  if (list === undefined || list.length === 0) errors.push(required(path, absent));
  else if (list.length > 1 && list.includes('*'))
    errors.push(invalid(path, goStrings(list), `if '*' is present, must not specify other ${noun}`));
}

function checkUrlPath(url: string, path: FieldPath, errors: FieldErrors): void {
  if (url === '/') return;
  if (url === '') return void errors.push(invalid(path, url, 'must not be empty'));
  if (!url.startsWith('/')) errors.push(invalid(path, url, 'must start with slash'));
  if (url.includes(' ')) errors.push(invalid(path, url, 'must not contain white-space'));
  if (url.includes('//')) errors.push(invalid(path, url, 'must not contain double slash'));
  const wildcards = url.split('*').length - 1;
  if (wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')))
    errors.push(invalid(path, url, 'wildcard can only do suffix matching'));
}
