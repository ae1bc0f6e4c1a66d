import type { LoadBalancerIngress, Service } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isIpText } from '../../../machinery/formats/addresses.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkIp } from '../../meta/addresses.ts';
import { checkFormat } from '../../meta/checks.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { isLoadBalancer } from './fields.ts';

const modes = ['Proxy', 'VIP'];

export function validateServiceStatusUpdate(service: Service, old: Service): FieldErrors {
  const errors = validateBuiltInMetaUpdate(service.metadata, old.metadata);
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const ingress = service.status.loadBalancer.ingress ?? [];
  if (isLoadBalancer(service)) ingress.forEach((place, i) => checkIngress(place, path.index(i), errors));
  else if (ingress.length > 0) errors.push(forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
  return errors;
}

/** One place where a load balancer listens. */
function checkIngress(
  { ip = '', ipMode, hostname = '' }: LoadBalancerIngress,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (ip !== '') checkIp(ip, path.child('ip'), errors);
  const modePath = path.child('ipMode');
  if (ipMode === undefined) {
    if (ip !== '') errors.push(required(modePath, 'must be specified when `ip` is set'));
  } else if (ip === '') errors.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
  else if (!modes.includes(ipMode)) errors.push(notSupported(modePath, ipMode, modes));
  checkHostname(hostname, path.child('hostname'), errors);
}

/** For load balancers of services and of ingresses. */
export function checkHostname(hostname: string, path: FieldPath, errors: FieldErrors): void {
  if (hostname === '') return;
  checkFormat(isDns1123Subdomain, hostname, path, errors);
  if (isIpText(hostname)) errors.push(invalid(path, hostname, 'must be a DNS name, not an IP address'));
}
