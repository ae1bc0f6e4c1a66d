import type { Service } from '../../gen/types/core-v1.ts';
import { cidrWarnings, ipWarnings } from '../../meta/addresses.ts';
import { noClusterIp } from './fields.ts';
import { specPath, topologyHintsAnnotation, topologyModeAnnotation } from './validation.ts';

/** For a valid service. */
export function serviceWarnings({ metadata, spec }: Service): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[topologyHintsAnnotation] !== undefined) warnings.push(`annotation ${topologyHintsAnnotation} is deprecated, please use ${topologyModeAnnotation} instead`);
  const { clusterIP = '', externalName = '', loadBalancerIP = '' } = spec;
  if (clusterIP !== '' && clusterIP !== noClusterIp) spec.clusterIPs?.forEach((ip, i) => warnings.push(...ipWarnings(specPath.child('clusterIPs').index(i), ip)));
  spec.externalIPs?.forEach((ip, i) => warnings.push(...ipWarnings(specPath.child('externalIPs').index(i), ip)));
  if (loadBalancerIP !== '') warnings.push(...ipWarnings(specPath.child('loadBalancerIP'), loadBalancerIP));
  spec.loadBalancerSourceRanges?.forEach((range, i) => warnings.push(...cidrWarnings(specPath.child('loadBalancerSourceRanges').index(i), range)));
  if (spec.type === 'ExternalName' && (spec.externalIPs?.length ?? 0) > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && externalName !== '') warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  return warnings;
}
