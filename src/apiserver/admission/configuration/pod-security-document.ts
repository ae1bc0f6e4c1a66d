/**
 * Reads a PodSecurityConfiguration.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/enforce-standards-admission-controller/
 *   | Enforce Pod Security Standards by Configuring the Built-in Admission Controller}
 */
import { aggregateText, duplicate, type FieldError, invalid, required } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { type LevelVersion, parseLevel, parseVersion } from '../pod-security/policy.ts';
import { decodeDocument } from './decode-document.ts';
import type { PodSecurityConfiguration } from './plugin-configuration.ts';

type Mode = 'enforce' | 'audit' | 'warn';

interface Document {
  readonly defaults?: Readonly<Partial<Record<Mode | `${Mode}-version`, string>>>;
  readonly exemptions?: Partial<PodSecurityConfiguration['exemptions']>;
}

const kind = {
  kind: 'PodSecurityConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`),
  typeId: 'api/v1.PodSecurityConfiguration',
};

/** Throws an Error that says what is wrong. */
export function readPodSecurity(text: string): PodSecurityConfiguration {
  const { defaults = {}, exemptions = {} } = decodeDocument<Document>(text, [kind]);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions;
  const errors: FieldError[] = [];
  const read = (mode: Mode): LevelVersion => ({
    level: valueOf(defaults[mode] ?? 'privileged', mode, parseLevel, errors),
    version: valueOf(defaults[`${mode}-version`] ?? 'latest', `${mode}-version`, parseVersion, errors),
  });
  // In the order in which upstream reports them.
  const [enforce, warn, audit] = [read('enforce'), read('warn'), read('audit')];
  checkNames(namespaces, 'namespaces', isDns1123Label, errors);
  checkNames(runtimeClasses, 'runtimeClasses', isDns1123Subdomain, errors);
  checkNames(usernames, 'usernames', () => [], errors);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return { defaults: { enforce, audit, warn }, exemptions: { usernames, namespaces, runtimeClasses } };
}

function valueOf<T>(
  text: string,
  member: string,
  parse: { (text: string): T | undefined; readonly message: string },
  errors: FieldError[],
): T {
  const value = parse(text);
  if (value === undefined) errors.push(invalid(FieldPath.of('defaults').child(member), text, parse.message));
  return value as T;
}

function checkNames(
  names: readonly string[],
  member: string,
  problemsOf: (name: string) => readonly string[],
  errors: FieldError[],
): void {
  for (const [i, name] of names.entries()) {
    const path = FieldPath.of('exemptions').child(member).index(i);
    const problems = problemsOf(name);
    if (problems.length > 0) errors.push(invalid(path, name, problems.join(', ')));
    else if (name === '') errors.push(required(path));
    else if (names.indexOf(name) < i) errors.push(duplicate(path, name));
  }
}
