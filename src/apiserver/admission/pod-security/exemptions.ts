/** What the configuration of PodSecurity exempts from the standards: users, namespaces and runtime classes. */
import type { PodSpec } from '../../../api/gen/types/core-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import type { PodSecurityConfiguration } from '../configuration/plugin-configuration.ts';
import { levelVersionText, type Policy, type PolicyDefaults } from './policy.ts';

export interface Exemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

export const exemptionsOf = (configuration: PodSecurityConfiguration | undefined): Exemptions => ({
  usernames: new Set(configuration?.exemptions.usernames),
  namespaces: new Set(configuration?.exemptions.namespaces),
  runtimeClasses: new Set(configuration?.exemptions.runtimeClasses),
});

/** Adds to the audit event of the request. */
export const note = ({ annotate }: AdmissionAttributes, key: string, value: string): void =>
  annotate(`pod-security.kubernetes.io/${key}`, value);

/** Whether namespace or user of the request are exempt; the audit event then says which. */
export function isExempt(attributes: AdmissionAttributes, { namespaces, usernames }: Exemptions): boolean {
  const { namespace, user } = attributes;
  const by = namespaces.has(namespace) ? 'namespace' : usernames.has(user.name) ? 'user' : undefined;
  if (by !== undefined) note(attributes, 'exempt', by);
  return by !== undefined;
}

export function isExemptClass(attributes: AdmissionAttributes, spec: PodSpec, { runtimeClasses }: Exemptions): boolean {
  if (!runtimeClasses.has(spec.runtimeClassName ?? '')) return false;
  note(attributes, 'exempt', 'runtimeClass');
  return true;
}

const modes = ['enforce', 'audit', 'warn'] as const;

/** Told to the client that labels an exempt namespace: undefined where the labels ask for nothing. */
export function exemptionWarning(
  namespace: string,
  { errors: _errors, ...policy }: Policy,
  labels: Readonly<Record<string, string>> = {},
  defaults: PolicyDefaults,
): string | undefined {
  if (modes.every((mode) => policy[mode].level === 'privileged') || isEqual(policy, defaults)) return undefined;
  const said = modes.filter(
    (mode) =>
      policy[mode].level !== 'privileged' &&
      [mode, `${mode}-version`].some((label) => Object.hasOwn(labels, `pod-security.kubernetes.io/${label}`)),
  );
  const text = said.map((mode) => `${mode}=${levelVersionText(policy[mode])}`).join(', ');
  return `namespace ${goQuote(namespace)} is exempt from Pod Security, and the policy (${text}) will be ignored`;
}
