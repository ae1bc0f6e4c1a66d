import type { Service } from '../../gen/types/core-v1.ts';
import { cidrWarnings, ipWarnings } from '../../meta/addresses.ts';
import { noClusterIp } from './fields.ts';
import { specPath, topologyHintsAnnotation, topologyModeAnnotation } from './validation.ts';

/** For a valid service. */
export function* serviceWarnings({ metadata, spec }: Service): Generator<string> {
  if (metadata.annotations?.[topologyHintsAnnotation] !== undefined)
    yield `annotation ${topologyHintsAnnotation} is deprecated, please use ${topologyModeAnnotation} instead`;
  const { clusterIP = '', externalName = '', loadBalancerIP = '' } = spec;
  if (clusterIP !== '' && clusterIP !== noClusterIp)
    for (const [i, ip] of spec.clusterIPs?.entries() ?? [])
      yield* ipWarnings(specPath.child('clusterIPs').index(i), ip);
  for (const [i, ip] of spec.externalIPs?.entries() ?? [])
    yield* ipWarnings(specPath.child('externalIPs').index(i), ip);
  if (loadBalancerIP !== '') yield* ipWarnings(specPath.child('loadBalancerIP'), loadBalancerIP);
  for (const [i, range] of spec.loadBalancerSourceRanges?.entries() ?? [])
    yield* cidrWarnings(specPath.child('loadBalancerSourceRanges').index(i), range);
  if (spec.type === 'ExternalName' && (spec.externalIPs?.length ?? 0) > 0)
    yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
  if (spec.type !== 'ExternalName' && externalName !== '')
    yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
}
