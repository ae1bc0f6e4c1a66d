/**
 * How many cluster IPs a service gets and of which families: what it asks for, what it had, and what the cluster has.
 * @see {@link https://kep.k8s.io/563 | KEP-563}
 */
import {
  clusterIpsPath,
  ipFamiliesPath,
  ipFamilyPolicyPath,
  validateClusterIpFields,
} from '../../../../api/core/services/cluster-ips-validation.ts';
import {
  clusterIpsOf,
  familyOf,
  hasSameClusterIps,
  hasSameIpFamilies,
  ipFamiliesOf,
  isHeadlessWithoutSelector,
  needsNodePorts,
  noClusterIp,
  otherFamily,
} from '../../../../api/core/services/fields.ts';
import type { IPFamily, Service } from '../../../../api/gen/types/core-v1.ts';
import { type FieldError, invalid } from '../../../../machinery/field-error.ts';
import { FieldErrors } from '../../../../machinery/field-errors.ts';
import { goStrings } from '../../../../machinery/go-quote.ts';
import { invalid as invalidStatus } from '../../../../machinery/status.ts';

/** Families that this server has ranges for, the primary one first. */
export type ClusterFamilies = readonly IPFamily[];

/** Fills in `ipFamilyPolicy` and `ipFamilies`. Throws 422 with what cannot be. */
export function setIpFamilies(service: Service, old: Service | undefined, cluster: ClusterFamilies): void {
  if (service.spec.type === 'ExternalName' || (old !== undefined && isSettledDualStack(service, old))) return;
  service.spec.ipFamilyPolicy ??=
    old?.spec.ipFamilyPolicy ?? (isHeadlessWithoutSelector(service) ? 'RequireDualStack' : 'SingleStack');
  throwIfAny(service, validateClusterIpFields(service));
  throwIfAny(service, [
    ...(old === undefined ? [] : releaseErrors(service, old)),
    ...policyErrors(service),
    ...inferFamilies(service, cluster),
  ]);
  // Its owner knows the families of its endpoints, whatever the cluster has.
  if (isHeadlessWithoutSelector(service)) return completeFamilies(service, cluster[0]!, true);
  throwIfAny(service, clusterErrors(service, cluster));
  completeFamilies(service, cluster[0]!, cluster.length === 2);
}

function throwIfAny({ metadata }: Service, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidStatus({ group: '', kind: 'Service' }, metadata.name ?? '', errors);
}

/**
 * Services that merely prefer two families keep what they have when the cluster gains or loses one: they change when
 * their owner changes them.
 */
export function isSettledDualStack(service: Service, old: Service): boolean {
  const { type, ipFamilyPolicy } = service.spec;
  const prefersDualStack =
    ipFamilyPolicy === 'PreferDualStack' && (old.spec.ipFamilyPolicy ?? ipFamilyPolicy) === ipFamilyPolicy;
  return (
    prefersDualStack &&
    type === old.spec.type &&
    (type === 'ClusterIP' || needsNodePorts(service)) &&
    hasSameClusterIps(service, old) &&
    hasSameIpFamilies(service, old)
  );
}

/** To give the second address back takes the policy that says so, and then nothing else. */
function releaseErrors(service: Service, old: Service): FieldError[] {
  const { spec } = service;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (hasSameClusterIps(service, old) && clusterIpsOf(service).length > 1)
      spec.clusterIPs = spec.clusterIPs!.slice(0, 1);
    if (hasSameIpFamilies(service, old) && ipFamiliesOf(service).length > 1)
      spec.ipFamilies = spec.ipFamilies!.slice(0, 1);
    return [];
  }
  const isReduced = (now: readonly unknown[], before: readonly unknown[]): boolean =>
    now.length > 0 && now.length < before.length;
  const refuse = (what: string): FieldError =>
    invalid(ipFamilyPolicyPath, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isReduced(clusterIpsOf(service), clusterIpsOf(old)) ? [refuse('cluster IP')] : []),
    ...(isReduced(ipFamiliesOf(service), ipFamiliesOf(old)) ? [refuse('IP family')] : []),
  ];
}

function policyErrors(service: Service): FieldError[] {
  const { ipFamilyPolicy } = service.spec;
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const refuse = (what: string): FieldError =>
    invalid(
      ipFamilyPolicyPath,
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIpsOf(service).length === 2 ? [refuse('cluster IPs')] : []),
    ...(ipFamiliesOf(service).length === 2 ? [refuse('IP families')] : []),
  ];
}

/** An address that the client gave says its family. */
function inferFamilies(service: Service, cluster: ClusterFamilies): FieldErrors {
  const errors = new FieldErrors();
  const families = [...ipFamiliesOf(service)];
  const ips = clusterIpsOf(service);
  for (const [i, ip] of ips.entries()) {
    if (ip === noClusterIp) break;
    if (i < families.length) continue;
    const family = familyOf(ip);
    if (cluster.includes(family)) families.push(family);
    else errors.push(invalid(clusterIpsPath.index(i), goStrings(ips), `${family} is not configured on this cluster`));
  }
  if (families.length > ipFamiliesOf(service).length) service.spec.ipFamilies = families;
  return errors;
}

function clusterErrors(service: Service, cluster: ClusterFamilies): FieldErrors {
  const { ipFamilyPolicy } = service.spec;
  const errors = new FieldErrors();
  if (ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2)
    errors.push(invalid(ipFamilyPolicyPath, ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [i, family] of ipFamiliesOf(service).entries())
    if (!cluster.includes(family))
      errors.push(invalid(ipFamiliesPath.index(i), family, 'not configured on this cluster'));
  return errors;
}

function completeFamilies({ spec }: Service, defaultFamily: IPFamily, canHaveBoth: boolean): void {
  const families = spec.ipFamilies === undefined || spec.ipFamilies.length === 0 ? [defaultFamily] : spec.ipFamilies;
  const wantsBoth = spec.ipFamilyPolicy !== 'SingleStack' && canHaveBoth && families.length === 1;
  spec.ipFamilies = wantsBoth ? [families[0]!, otherFamily(families[0]!)] : families;
}
