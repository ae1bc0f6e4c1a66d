/**
 * What of a service may change. Addresses stay, but for the second one, and nothing is kept across type ExternalName.
 */
import type { Service } from '../../gen/types/core-v1.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { immutableMessage } from '../../../machinery/formats/messages.ts';
import { goStrings } from '../../../machinery/go-quote.ts';
import { validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { clusterIpsPath, ipFamiliesPath, ipFamilyPolicyPath, shownFamilies } from './cluster-ips-validation.ts';
import { clusterIpsOf, ipFamiliesOf, isHeadless, isLoadBalancer, needsHealthCheck } from './fields.ts';
import { checkLoadBalancerClass, loadBalancerClassPath, specPath, validateService } from './validation.ts';

const onceSet = 'may not change once set';

export function validateServiceUpdate(service: Service, old: Service): FieldErrors {
  const errors = validateBuiltInMetaUpdate(service.metadata, old.metadata);
  if (service.spec.type !== 'ExternalName' && old.spec.type !== 'ExternalName') {
    checkClusterIpChange(service, old, errors);
    checkFamilyChange(service, old, errors);
  }
  if (isLoadBalancer(old) && isLoadBalancer(service) && service.spec.loadBalancerClass !== old.spec.loadBalancerClass) {
    errors.push(invalid(loadBalancerClassPath, service.spec.loadBalancerClass, onceSet));
  }
  checkLoadBalancerClass(service, errors);
  if (
    needsHealthCheck(old) &&
    needsHealthCheck(service) &&
    service.spec.healthCheckNodePort !== old.spec.healthCheckNodePort
  ) {
    errors.push(forbidden(specPath.child('healthCheckNodePort'), immutableMessage));
  }
  return FieldErrors.joined(errors, validateService(service));
}

function checkClusterIpChange(service: Service, old: Service, errors: FieldErrors): void {
  if (isHeadless(service) && isHeadless(old)) return;
  const ips = clusterIpsOf(service);
  const before = clusterIpsOf(old);
  const refuse = (index: number, why: string): void =>
    void errors.push(invalid(clusterIpsPath.index(index), goStrings(service.spec.clusterIPs), why));
  if (ips.length === before.length) {
    before.forEach((ip, i) => {
      if (ip !== ips[i]) refuse(i, onceSet);
    });
    return;
  }
  if (ips.length === 0) refuse(0, 'primary clusterIP can not be unset');
  if (ips.length > 0 && before.length > 0 && ips[0] !== before[0]) refuse(0, onceSet);
  if (before.length > ips.length && ips.length === 1) checkReleasePolicy(service, 'secondary clusterIP', errors);
}

/** A headless service has no addresses that would tie it to its families. */
function checkFamilyChange(service: Service, old: Service, errors: FieldErrors): void {
  if (isHeadless(service) || isHeadless(old)) return;
  const families = ipFamiliesOf(service);
  const before = ipFamiliesOf(old);
  if (families.length === before.length) {
    before.forEach((family, i) => {
      if (family !== families[i])
        errors.push(invalid(ipFamiliesPath.index(0), shownFamilies(service.spec.ipFamilies), onceSet));
    });
    return;
  }
  if (families.length < before.length && clusterIpsOf(service).length === 0)
    errors.push(
      invalid(ipFamiliesPath.index(0), shownFamilies(service.spec.ipFamilies), 'primary ipFamily can not be unset'),
    );
  if (families.length > 0 && before.length > 0 && families[0] !== before[0])
    errors.push(invalid(ipFamiliesPath.index(0), goStrings(service.spec.clusterIPs), onceSet));
  if (families.length < before.length && families.length === 1)
    checkReleasePolicy(service, 'secondary ipFamily', errors);
}

function checkReleasePolicy({ spec }: Service, what: string, errors: FieldErrors): void {
  if (spec.ipFamilyPolicy !== 'SingleStack')
    errors.push(
      invalid(ipFamilyPolicyPath, spec.ipFamilyPolicy, `must be set to 'SingleStack' when releasing the ${what}`),
    );
}
