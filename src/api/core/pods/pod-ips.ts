/** Addresses of pods and of the nodes they run on: at most one of each family. */
import type { PodIP, PodStatus } from '../../gen/types/core-v1.ts';
import { duplicate, internal, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isIp, parseIp } from '../../../machinery/formats/addresses.ts';
import { shownStruct, shownStructs } from '../../shown-struct.ts';
import { checkFormat } from '../../meta/checks.ts';

export function checkPodIps(ips: readonly PodIP[] | undefined, path: FieldPath, errors: FieldErrors): void {
  if (ips === undefined) return;
  checkAddresses(ips, path, errors);
  if (ips.length < 2) return;
  checkFamilies(ips, 'core/v1.PodIP', path, errors);
  checkUnique(ips, 'core/v1.PodIP', path, errors);
}

export function checkHostIps({ hostIP = '', hostIPs }: PodStatus, path: FieldPath, errors: FieldErrors): void {
  if (hostIPs === undefined || hostIPs.length === 0) return;
  const { ip = '' } = hostIPs[0]!;
  if (ip !== hostIP) errors.push(invalid(path.index(0).child('ip'), ip, 'must be equal to `hostIP`'));
  checkAddresses(hostIPs, path, errors);
  if (hostIPs.length < 2) return;
  checkUnique(hostIPs, 'core/v1.HostIP', path, errors);
  checkFamilies(hostIPs, 'core/v1.HostIP', path, errors);
}

function checkAddresses(ips: readonly PodIP[], path: FieldPath, errors: FieldErrors): void {
  ips.forEach(({ ip = '' }, i) => checkFormat(isIp, ip, path.index(i), errors));
}

function checkFamilies(ips: readonly PodIP[], type: string, path: FieldPath, errors: FieldErrors): void {
  const families = new Set<number>();
  for (const [i, { ip = '' }] of ips.entries()) {
    const address = parseIp(ip);
    if (address === undefined) {
      errors.push(internal(path, `failed to check for dual stack with error:invalid IP[${i}]: ${ip}`));
      families.clear();
      break;
    }
    families.add(address.family);
  }
  if (families.size < 2 || ips.length > 2)
    errors.push(invalid(path, shownStructs(type, ips), 'may specify no more than one IP for each IP family'));
}

function checkUnique(ips: readonly PodIP[], type: string, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  ips.forEach((item, i) => {
    const { ip = '' } = item;
    if (seen.has(ip)) errors.push(duplicate(path.index(i), shownStruct(type, item)));
    seen.add(ip);
  });
}
