/** Deployments and ReplicaSets for tables, with nothing but what a row is about. */
import type { Deployment, DeploymentSpec, DeploymentStatus, ReplicaSet } from '../../../api/gen/types/apps-v1.ts';
import { formatMs } from '../../shared/times.ts';
import { desiredAnnotation, maxAnnotation } from '../revisions.ts';

/** Milliseconds since 1970. */
export const nowMs = Date.parse('2026-01-01T12:00:00Z');

const template = { metadata: {}, spec: { containers: [] } };

export const deployment = (spec: Partial<DeploymentSpec>, status: DeploymentStatus = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', uid: 'd', generation: 2 },
  spec: { selector: { matchLabels: { app: 'web' } }, template, strategy: {}, ...spec },
  status,
});

export interface SetFacts {
  /** All of its pods when absent. */
  readonly available?: number;
  /** In minutes. */
  readonly age?: number;
  /** The sizes that the Deployment and its limit had when the set was scaled. */
  readonly desired?: number;
  readonly max?: number;
  readonly status?: ReplicaSet['status'];
}

export function replicaSet(
  name: string,
  replicas: number,
  { available = replicas, age = 0, desired, max, status }: SetFacts = {},
): ReplicaSet {
  const annotations = {
    ...(desired === undefined ? {} : { [desiredAnnotation]: String(desired) }),
    ...(max === undefined ? {} : { [maxAnnotation]: String(max) }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: formatMs(nowMs - age * 60_000), annotations },
    spec: { replicas, selector: {}, template },
    status: { replicas, readyReplicas: available, availableReplicas: available, ...status },
  };
}
