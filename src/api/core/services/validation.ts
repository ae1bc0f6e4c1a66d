/** Rules of services. @see {@link https://kubernetes.io/docs/concepts/services-networking/service/ | Service} */
import type { Service, ServiceSpec, SessionAffinityConfig } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain, isQualifiedName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import { checkCidr, checkIp, checkNonSpecialIp } from '../../meta/addresses.ts';
import { checkFormat, invalidEach } from '../../meta/checks.ts';
import { checkLabels } from '../../meta/labels.ts';
import { label1035Name } from '../../meta/name-rules.ts';
import { metadataPath, validateBuiltInMeta } from '../../meta/object-meta.ts';
import {
  clusterIpsPath,
  ipFamiliesPath,
  ipFamilyPolicyPath,
  validateClusterIpFields,
} from './cluster-ips-validation.ts';
import { isExternallyAccessible, isHeadless, isLoadBalancer, needsHealthCheck, noClusterIp } from './fields.ts';
import { checkExposedPorts, checkPortPairs, checkServicePorts } from './ports-validation.ts';

export const specPath = FieldPath.of('spec');
const portsPath = specPath.child('ports');
const annotationsPath = metadataPath.child('annotations');

const affinities = ['ClientIP', 'None'];
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const trafficPolicies = ['Cluster', 'Local'];
const distributions = ['PreferClose'];

/** Annotations with a meaning. The second name replaced the first. */
export const topologyHintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
export const topologyModeAnnotation = 'service.kubernetes.io/topology-mode';
/** Came before `spec.loadBalancerSourceRanges`. */
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Every error of a service whose addresses and ports have been allocated. */
export function validateService(service: Service): FieldErrors {
  const { metadata, spec } = service;
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: label1035Name });
  checkTopologyAnnotations(metadata.annotations, errors);
  if ((spec.ports?.length ?? 0) === 0 && !isHeadless(service) && spec.type !== 'ExternalName')
    errors.push(required(portsPath));
  checkType(service, errors);
  checkServicePorts(spec.ports, portsPath, errors);
  checkLabels(spec.selector, specPath.child('selector'), errors);
  checkAffinity(spec, errors);
  errors.push(...validateClusterIpFields(service));
  spec.externalIPs?.forEach((ip, i) => checkExternalIp(ip, specPath.child('externalIPs').index(i), errors));
  checkSupported(spec.type, types, specPath.child('type'), errors);
  checkPortPairs(service, portsPath, errors);
  checkSourceRanges(service, errors);
  checkLoadBalancerFields(service, errors);
  checkTrafficPolicies(service, errors);
  if (spec.trafficDistribution !== undefined && !distributions.includes(spec.trafficDistribution))
    errors.push(notSupported(specPath.child('trafficDistribution'), spec.trafficDistribution, distributions));
  return errors;
}

function checkSupported(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (value === undefined || value === '') errors.push(required(path));
  else if (!supported.includes(value)) errors.push(notSupported(path, value, supported));
}

function checkTopologyAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  errors: FieldErrors,
): void {
  const hints = annotations?.[topologyHintsAnnotation];
  const mode = annotations?.[topologyModeAnnotation];
  if (hints === undefined || mode === undefined || hints === mode) return;
  errors.push(
    invalid(
      annotationsPath.key(topologyModeAnnotation),
      mode,
      `must match annotations[${topologyHintsAnnotation}] when both are specified`,
    ),
  );
}

function checkType(service: Service, errors: FieldErrors): void {
  const { spec } = service;
  if (spec.type === 'LoadBalancer') checkExposedPorts(spec.ports, portsPath, errors);
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(service))
    errors.push(invalid(clusterIpsPath.index(0), noClusterIp, `may not be set to 'None' for ${spec.type} services`));
  if (spec.type === 'ExternalName') checkExternalName(spec, errors);
}

function checkExternalName(
  { clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' }: ServiceSpec,
  errors: FieldErrors,
): void {
  const message = 'may not be set for ExternalName services';
  if (clusterIPs.length > 0) errors.push(forbidden(clusterIpsPath, message));
  if (ipFamilies.length > 0) errors.push(forbidden(ipFamiliesPath, message));
  if (ipFamilyPolicy !== undefined) errors.push(forbidden(ipFamilyPolicyPath, message));
  // One dot at the end marks a name that is complete.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  if (name === '') errors.push(required(specPath.child('externalName')));
  else checkFormat(isDns1123Subdomain, name, specPath.child('externalName'), errors);
}

/** The longest time, in seconds, that a client stays with an endpoint. */
const maxAffinitySeconds = 86400;

function checkAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec, errors: FieldErrors): void {
  const configPath = specPath.child('sessionAffinityConfig');
  checkSupported(sessionAffinity, affinities, specPath.child('sessionAffinity'), errors);
  if (sessionAffinity === 'ClientIP') checkAffinityConfig(sessionAffinityConfig, configPath, errors);
  if (sessionAffinity === 'None' && sessionAffinityConfig !== undefined)
    errors.push(forbidden(configPath, 'must not be set when session affinity is None'));
}

function checkAffinityConfig(config: SessionAffinityConfig | undefined, path: FieldPath, errors: FieldErrors): void {
  const missing = 'when session affinity type is ClientIP';
  if (config === undefined) return void errors.push(required(path, missing));
  if (config.clientIP === undefined) return void errors.push(required(path.child('clientIP'), missing));
  const { timeoutSeconds } = config.clientIP;
  const timeoutPath = path.child('clientIP', 'timeoutSeconds');
  if (timeoutSeconds === undefined) errors.push(required(timeoutPath, missing));
  else if (timeoutSeconds <= 0 || timeoutSeconds > maxAffinitySeconds)
    errors.push(invalid(timeoutPath, timeoutSeconds, `must be greater than 0 and less than ${maxAffinitySeconds}`));
}

function checkExternalIp(ip: string, path: FieldPath, errors: FieldErrors): void {
  if (checkIp(ip, path, errors)) checkNonSpecialIp(ip, path, errors);
}

const onlyLoadBalancers = "may only be used when `type` is 'LoadBalancer'";

function checkSourceRanges(service: Service, errors: FieldErrors): void {
  const { metadata, spec } = service;
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const annotation = metadata.annotations?.[sourceRangesAnnotation];
  if (ranges.length > 0) {
    // The capital letter is upstream's.
    const path = specPath.child('LoadBalancerSourceRanges');
    if (!isLoadBalancer(service)) errors.push(forbidden(path, onlyLoadBalancers));
    ranges.forEach((range, i) => checkCidr(range.trim(), path.index(i), errors));
  } else if (annotation !== undefined) {
    const path = annotationsPath.key(sourceRangesAnnotation);
    if (!isLoadBalancer(service)) errors.push(forbidden(path, onlyLoadBalancers));
    if (annotation.trim() !== '')
      for (const range of annotation.trim().split(',')) checkCidr(range.trim(), path, errors);
  }
}

function checkLoadBalancerFields(service: Service, errors: FieldErrors): void {
  const { allocateLoadBalancerNodePorts } = service.spec;
  if (!isLoadBalancer(service) && allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbidden(specPath.child('allocateLoadBalancerNodePorts'), onlyLoadBalancers));
  if (isLoadBalancer(service) && allocateLoadBalancerNodePorts === undefined)
    errors.push(required(FieldPath.of('allocateLoadBalancerNodePorts')));
  checkLoadBalancerClass(service, errors);
}

export const loadBalancerClassPath = specPath.child('loadBalancerClass');

export function checkLoadBalancerClass(service: Service, errors: FieldErrors): void {
  const { loadBalancerClass } = service.spec;
  if (loadBalancerClass === undefined) return;
  if (isLoadBalancer(service)) checkFormat(isQualifiedName, loadBalancerClass, loadBalancerClassPath, errors);
  else errors.push(forbidden(loadBalancerClassPath, onlyLoadBalancers));
}

function checkTrafficPolicies(service: Service, errors: FieldErrors): void {
  const { externalTrafficPolicy: external = '', internalTrafficPolicy: internal, type } = service.spec;
  const externalPath = specPath.child('externalTrafficPolicy');
  if (isExternallyAccessible(service)) checkSupported(external, trafficPolicies, externalPath, errors);
  else if (external !== '')
    errors.push(invalid(externalPath, external, 'may only be set for externally-accessible services'));
  checkHealthCheckPort(service, errors);
  const internalPath = specPath.child('internalTrafficPolicy');
  if (internal !== undefined) {
    if (!trafficPolicies.includes(internal)) errors.push(notSupported(internalPath, internal, trafficPolicies));
  } else if (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer')
    errors.push(required(internalPath));
}

function checkHealthCheckPort(service: Service, errors: FieldErrors): void {
  const { healthCheckNodePort: port = 0 } = service.spec;
  const path = specPath.child('healthCheckNodePort');
  if (!needsHealthCheck(service)) {
    if (port !== 0)
      errors.push(
        invalid(path, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
      );
  } else if (port === 0) errors.push(required(path));
  else invalidEach(isPortNumber(port), path, port, errors);
}
