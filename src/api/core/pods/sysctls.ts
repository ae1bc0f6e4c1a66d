/** @see {@link https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ | Sysctls in a cluster} */
import type { PodSpec, Sysctl } from '../../gen/types/core-v1.ts';
import { duplicate, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { checkRequiredText } from '../../meta/checks.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

const segment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const namePattern = `^(${segment}[\\./])*${segment}$`;
const nameRegex = new RegExp(namePattern);
const maxNameLength = 253;

type HostNamespaces = Pick<PodSpec, 'hostNetwork' | 'hostIPC'>;

export function checkSysctls(
  sysctls: readonly Sysctl[] | undefined,
  host: HostNamespaces,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (sysctls === undefined) return;
  const names = new Set<string>();
  sysctls.forEach(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    if (checkRequiredText(name, at, errors)) {
      if (name.length > maxNameLength || !nameRegex.test(name))
        errors.push(invalid(at, name, `must have at most ${maxNameLength} characters and match regex ${namePattern}`));
      else if (names.has(name)) errors.push(duplicate(at, name));
    }
    const taken = rules.hostSysctls ? undefined : hostNamespaceOf(name, host);
    if (taken !== undefined) errors.push(invalid(at, name, `may not be specified when '${taken}' is true`));
    names.add(name);
  });
}

/** The host's namespace that the pod shares and the setting would change. */
export function hostNamespaceOf(name: string, { hostNetwork, hostIPC }: HostNamespaces): string | undefined {
  const dotted = withDots(name);
  if (hostNetwork === true && dotted.startsWith('net.')) return 'hostNetwork';
  return hostIPC === true && isIpcSetting(dotted) ? 'hostIPC' : undefined;
}

const isIpcSetting = (name: string): boolean =>
  name === 'kernel.sem' ||
  name.startsWith('kernel.shm') ||
  name.startsWith('kernel.msg') ||
  name.startsWith('fs.mqueue.');

/** The first separator of a name says which one it uses: with a slash, dots are part of the segments. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  return first === '/' ? name.replace(/[./]/g, (char) => (char === '/' ? '.' : '/')) : name;
}
