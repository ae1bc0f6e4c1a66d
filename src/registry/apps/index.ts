import { controllerRevisionCells } from '../../api/apps/controller-revisions/table.ts';
import { setDaemonSetDefaults, templateGenerationAnnotation } from '../../api/apps/daemon-sets/defaults.ts';
import { daemonSetCells } from '../../api/apps/daemon-sets/table.ts';
import { setDeploymentDefaults } from '../../api/apps/deployments/defaults.ts';
import { deploymentCells } from '../../api/apps/deployments/table.ts';
import { setReplicaSetDefaults } from '../../api/apps/replica-sets/defaults.ts';
import { replicaSetCells } from '../../api/apps/replica-sets/table.ts';
import { setStatefulSetDefaults } from '../../api/apps/stateful-sets/defaults.ts';
import { statefulSetCells } from '../../api/apps/stateful-sets/table.ts';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../api/gen/types/apps-v1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { controllerRevisionStrategy } from './controller-revisions/strategy.ts';
import { daemonSetStatusStrategy, daemonSetStrategy } from './daemon-sets/strategy.ts';
import { deploymentStatusStrategy, deploymentStrategy } from './deployments/strategy.ts';
import { replicaSetStatusStrategy, replicaSetStrategy } from './replica-sets/strategy.ts';
import { statefulSetStatusStrategy, statefulSetStrategy } from './stateful-sets/strategy.ts';

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
