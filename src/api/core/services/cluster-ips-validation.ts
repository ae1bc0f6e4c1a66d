/**
 * Cluster IPs and their families. The registry asks for these rules before it allocates, validation asks again.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/dual-stack/#services | Dual-stack services}
 */
import type { IPFamily, Service } from '../../gen/types/core-v1.ts';
import { duplicate, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { goNames, goStrings, type GoSyntax } from '../../../machinery/go-quote.ts';
import { checkIp } from '../../meta/addresses.ts';
import { clusterIpsOf, familyOf, ipFamiliesOf, isHeadless, noClusterIp } from './fields.ts';

export const clusterIpsPath = FieldPath.of('spec', 'clusterIPs');
export const ipFamiliesPath = FieldPath.of('spec', 'ipFamilies');
export const ipFamilyPolicyPath = FieldPath.of('spec', 'ipFamilyPolicy');

const families: readonly IPFamily[] = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

export const shownFamilies = (values: readonly IPFamily[] | undefined): GoSyntax => goNames('[]core.IPFamily', values);

export function validateClusterIpFields(service: Service): FieldErrors {
  const errors = new FieldErrors();
  if (service.spec.type === 'ExternalName') return errors;
  checkAgreement(service, errors);
  checkFamilies(service, errors);
  const { ipFamilyPolicy } = service.spec;
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    errors.push(notSupported(ipFamilyPolicyPath, ipFamilyPolicy, policies));
  if (checkAddresses(service, errors)) checkFamiliesOfAddresses(service, errors);
  return errors;
}

/** `clusterIP` is the first of `clusterIPs`. */
function checkAgreement({ spec: { clusterIP = '', clusterIPs = [] } }: Service, errors: FieldErrors): void {
  if (clusterIP === '') {
    if (clusterIPs.length > 0)
      errors.push(invalid(clusterIpsPath, goStrings(clusterIPs), 'must be empty when `clusterIP` is not specified'));
  } else if (clusterIPs.length === 0) errors.push(required(clusterIpsPath));
  else if (clusterIPs[0] !== clusterIP)
    errors.push(invalid(clusterIpsPath, goStrings(clusterIPs), 'first value must match `clusterIP`'));
}

function checkFamilies(service: Service, errors: FieldErrors): void {
  const seen = new Set<string>();
  ipFamiliesOf(service).forEach((family, i) => {
    if (!families.includes(family)) errors.push(notSupported(ipFamiliesPath.index(i), family, families));
    if (seen.has(family)) errors.push(duplicate(ipFamiliesPath.index(i), family));
    seen.add(family);
  });
}

/** Returns whether families can be compared: with bad addresses among them they would only confuse. */
function checkAddresses(service: Service, errors: FieldErrors): boolean {
  const ips = clusterIpsOf(service);
  let isGood = true;
  ips.forEach((ip, i) => {
    if (i > 0 || ip !== noClusterIp) isGood = checkIp(ip, clusterIpsPath.index(i), errors) && isGood;
    else if (ips.length > 1) {
      isGood = false;
      errors.push(invalid(clusterIpsPath, goStrings(ips), "'None' must be the first and only value"));
    }
  });
  if (ips.length > 2) errors.push(invalid(clusterIpsPath, goStrings(ips), 'may only hold up to 2 values'));
  return isGood;
}

function checkFamiliesOfAddresses(service: Service, errors: FieldErrors): void {
  const ips = clusterIpsOf(service);
  if (ips.length > 1 && new Set(ips.map(familyOf)).size < 2)
    errors.push(invalid(clusterIpsPath, goStrings(ips), 'may specify no more than one IP for each IP family'));
  if (isHeadless(service)) return;
  ipFamiliesOf(service).forEach((family, i) => {
    const ip = ips[i];
    if (ip === undefined || !families.includes(family) || familyOf(ip) === family) return;
    errors.push(
      invalid(clusterIpsPath.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``),
    );
  });
}
