import { controllerRevisionCells } from '../../api/apps/controller-revision/table.ts';
import { setDaemonSetDefaults, templateGenerationAnnotation } from '../../api/apps/daemon-set/defaults.ts';
import { daemonSetCells } from '../../api/apps/daemon-set/table.ts';
import { setDeploymentDefaults } from '../../api/apps/deployment/defaults.ts';
import { deploymentCells } from '../../api/apps/deployment/table.ts';
import { setReplicaSetDefaults } from '../../api/apps/replica-set/defaults.ts';
import { replicaSetCells } from '../../api/apps/replica-set/table.ts';
import { setStatefulSetDefaults } from '../../api/apps/stateful-set/defaults.ts';
import { statefulSetCells } from '../../api/apps/stateful-set/table.ts';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../api/gen/types/apps-v1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { controllerRevisionStrategy } from './controllerrevisions/strategy.ts';
import { daemonSetStatusStrategy, daemonSetStrategy } from './daemonsets/strategy.ts';
import { deploymentStatusStrategy, deploymentStrategy } from './deployments/strategy.ts';
import { replicaSetStatusStrategy, replicaSetStrategy } from './replicasets/strategy.ts';
import { statefulSetStatusStrategy, statefulSetStrategy } from './statefulsets/strategy.ts';

const group = 'apps';

export const definitions: ResourceDefinition[] = [
  defineResource<Deployment>({
    group,
    resource: 'deployments',
    versions: { v1: { defaults: setDeploymentDefaults } },
    strategy: deploymentStrategy,
    status: deploymentStatusStrategy,
    table: { cells: (deployment, { now }) => deploymentCells(deployment, now) },
  }),
  defineResource<ReplicaSet>({
    group,
    resource: 'replicasets',
    versions: { v1: { defaults: setReplicaSetDefaults } },
    strategy: replicaSetStrategy,
    status: replicaSetStatusStrategy,
    table: { cells: (set, { now }) => replicaSetCells(set, now) },
  }),
  defineResource<StatefulSet>({
    group,
    resource: 'statefulsets',
    versions: { v1: { defaults: setStatefulSetDefaults } },
    strategy: statefulSetStrategy,
    status: statefulSetStatusStrategy,
    table: { cells: (set, { now }) => statefulSetCells(set, now) },
  }),
  defineResource<DaemonSet>({
    group,
    resource: 'daemonsets',
    versions: { v1: { defaults: setDaemonSetDefaults } },
    strategy: daemonSetStrategy,
    status: daemonSetStatusStrategy,
    table: { cells: (set, { now }) => daemonSetCells(set, now), hiddenAnnotations: [templateGenerationAnnotation] },
  }),
  defineResource<ControllerRevision>({
    group,
    resource: 'controllerrevisions',
    strategy: controllerRevisionStrategy,
    table: { cells: (revision, { now }) => controllerRevisionCells(revision, now) },
  }),
];
