import { KindRules } from '../../../../test/support/kind-rules.ts';
import type {
  StatefulSet,
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
} from '../../../api/gen/types/apps-v1.ts';
import type { ReplicationController } from '../../../api/gen/types/core-v1.ts';

export type Json = Record<string, unknown>;

export const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'nginx' }] },
};

export const selector = { matchLabels: { app: 'web' } };

export const workload = (spec: Json = {}, rest: Json = {}): Json => ({
  metadata: { name: 'web' },
  spec: { selector, template, ...spec },
  ...rest,
});

export const statefulSets = new KindRules<StatefulSet>('apps/v1', 'statefulsets');

export const deployments = new KindRules<Deployment>('apps/v1', 'deployments');

export const replicaSets = new KindRules<ReplicaSet>('apps/v1', 'replicasets');

export const daemonSets = new KindRules<DaemonSet>('apps/v1', 'daemonsets');

export const revisions = new KindRules<ControllerRevision>('apps/v1', 'controllerrevisions');

export const controllers = new KindRules<ReplicationController>('v1', 'replicationcontrollers');
