/**
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/ | RunAsUserName for
 *   Windows}
 */
import type { WindowsSecurityContextOptions } from '../../gen/types/core-v1.ts';
import { invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { byteLength, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat } from '../../meta/checks.ts';

const maxCredentialSpecKiB = 64;

export function checkWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (specName !== undefined) checkFormat(isDns1123Subdomain, specName, path.child('gmsaCredentialSpecName'), errors);
  if (spec === '')
    errors.push(invalid(path.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && byteLength(spec) > maxCredentialSpecKiB * 1024) {
    errors.push(
      invalid(
        path.child('gmsaCredentialSpec'),
        spec,
        `gmsaCredentialSpec size must be under ${maxCredentialSpecKiB} KiB`,
      ),
    );
  }
  if (user !== undefined)
    for (const problem of userProblems(user)) errors.push(invalid(path.child('runAsUserName'), user, problem));
}

const maxDomainLength = 256;
const maxUserLength = 104;
const control = /[\x00-\x1f\x7f]/;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsDomain = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const netBiosDomain = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

/** `DOMAIN\user` or `user`. */
function userProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (control.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  return [...(parts.length === 2 ? domainProblems(parts[0]!) : []), ...accountProblems(parts.at(-1)!)];
}

function domainProblems(domain: string): string[] {
  const problems: string[] = [];
  if (byteLength(domain) >= maxDomainLength)
    problems.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  if (!netBiosDomain.test(domain) && !dnsDomain.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return problems;
}

function accountProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > maxUserLength)
    problems.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}
