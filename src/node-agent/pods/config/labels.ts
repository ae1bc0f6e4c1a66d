/**
 * What sandboxes and containers carry so that the agent finds them again after a restart: the pod they belong to, and
 * how they end.
 */
import { createHash } from 'node:crypto';
import type { Container, EphemeralContainer, Pod } from '../../../api/gen/types/core-v1.ts';

export const podNameLabel = 'io.kubernetes.pod.name';
export const podNamespaceLabel = 'io.kubernetes.pod.namespace';
export const podUidLabel = 'io.kubernetes.pod.uid';
export const containerNameLabel = 'io.kubernetes.container.name';

export const hashAnnotation = 'io.kubernetes.container.hash';
export const restartCountAnnotation = 'io.kubernetes.container.restartCount';
export const messagePathAnnotation = 'io.kubernetes.container.terminationMessagePath';
export const messagePolicyAnnotation = 'io.kubernetes.container.terminationMessagePolicy';
export const deletionGraceAnnotation = 'io.kubernetes.pod.deletionGracePeriod';
export const terminationGraceAnnotation = 'io.kubernetes.pod.terminationGracePeriod';
export const preStopAnnotation = 'io.kubernetes.container.preStopHandler';
export const portsAnnotation = 'io.kubernetes.container.ports';

export const podLabels = ({ metadata }: Pick<Pod, 'metadata'>): Record<string, string> => ({
  [podNameLabel]: metadata.name ?? '',
  [podNamespaceLabel]: metadata.namespace ?? '',
  [podUidLabel]: metadata.uid ?? '',
});

export function containerAnnotations(
  { metadata, spec }: Pick<Pod, 'metadata' | 'spec'>,
  container: Container | EphemeralContainer,
  restartCount: number,
): Record<string, string> {
  const { deletionGracePeriodSeconds } = metadata;
  const { terminationGracePeriodSeconds } = spec;
  const { lifecycle, ports = [] } = container;
  return {
    [hashAnnotation]: containerHash(container),
    [restartCountAnnotation]: String(restartCount),
    [messagePathAnnotation]: container.terminationMessagePath ?? '',
    [messagePolicyAnnotation]: container.terminationMessagePolicy ?? '',
    ...(deletionGracePeriodSeconds === undefined
      ? {}
      : { [deletionGraceAnnotation]: String(deletionGracePeriodSeconds) }),
    ...(terminationGracePeriodSeconds === undefined
      ? {}
      : { [terminationGraceAnnotation]: String(terminationGracePeriodSeconds) }),
    ...(lifecycle?.preStop === undefined ? {} : { [preStopAnnotation]: JSON.stringify(lifecycle.preStop) }),
    ...(ports.length === 0 ? {} : { [portsAnnotation]: JSON.stringify(ports) }),
  };
}

/**
 * Of what a container cannot change without a new one. 32 bits in hexadecimal, as other agents have it; the value is
 * this agent's own, so a container of another agent is started anew.
 */
export const containerHash = ({ name, image }: Pick<Container, 'name' | 'image'>): string =>
  createHash('sha256')
    .update(JSON.stringify([name, image]))
    .digest('hex')
    .slice(0, 8);
