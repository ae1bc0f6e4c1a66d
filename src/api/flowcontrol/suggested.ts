/**
 * Levels and schemas that suit most clusters: kept as they stand here until an operator takes them over.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#suggested-configuration-objects
 *   | Suggested configuration objects}
 */
import type {
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../gen/types/flowcontrol-v1.ts';
import { everythingOf, group } from './mandatory.ts';

interface Queues {
  readonly queues: number;
  readonly handSize: number;
}

const queued = (
  nominalConcurrencyShares: number,
  lendablePercent: number,
  { queues, handSize }: Queues,
): PriorityLevelConfigurationSpec => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares,
    lendablePercent,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
  },
});

export const suggestedPriorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ['system', queued(30, 33, { queues: 64, handSize: 6 })],
  ['node-high', queued(40, 25, { queues: 64, handSize: 6 })],
  ['leader-election', queued(10, 0, { queues: 16, handSize: 4 })],
  ['workload-high', queued(40, 50, { queues: 128, handSize: 6 })],
  ['workload-low', queued(100, 90, { queues: 128, handSize: 6 })],
  ['global-default', queued(20, 50, { queues: 128, handSize: 6 })],
]);

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
/** A service account of the system, or all of them. */
const account = (name: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name },
});
const everybody = [group('system:unauthenticated'), group('system:authenticated')];

const inNamespaces = (verbs: string[], apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
});
const anywhere = (rule: ResourcePolicyRule): ResourcePolicyRule => ({ ...rule, clusterScope: true });
const getAndWrite = ['get', 'create', 'update'];
const leases = inNamespaces(getAndWrite, 'coordination.k8s.io', 'leases');

type Rules = NonNullable<FlowSchemaSpec['rules']>;

const schema = (
  level: string,
  matchingPrecedence: number,
  by: 'ByUser' | 'ByNamespace' | undefined,
  rules: Rules,
): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence,
  ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
  rules,
});

export const suggestedFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  ['system-nodes', schema('system', 500, 'ByUser', everythingOf(group('system:nodes')))],
  [
    'system-node-high',
    schema('node-high', 400, 'ByUser', [
      {
        subjects: [group('system:nodes')],
        resourceRules: [
          anywhere(inNamespaces(['*'], '', 'nodes', 'nodes/status')),
          inNamespaces(['*'], 'coordination.k8s.io', 'leases'),
        ],
      },
    ]),
  ],
  [
    'probes',
    schema('exempt', 2, undefined, [
      {
        subjects: everybody,
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      },
    ]),
  ],
  [
    'system-leader-election',
    schema('leader-election', 100, 'ByUser', [
      {
        subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), account('*')],
        resourceRules: [leases],
      },
    ]),
  ],
  [
    'workload-leader-election',
    schema('leader-election', 200, 'ByUser', [
      {
        subjects: [account('*')],
        resourceRules: [inNamespaces(getAndWrite, '', 'endpoints', 'configmaps'), leases],
      },
    ]),
  ],
  [
    'endpoint-controller',
    schema('workload-high', 150, 'ByUser', [
      {
        subjects: [
          user('system:kube-controller-manager'),
          account('endpoint-controller'),
          account('endpointslicemirroring-controller'),
        ],
        resourceRules: [inNamespaces(getAndWrite, '', 'endpoints')],
      },
    ]),
  ],
  [
    'kube-controller-manager',
    schema('workload-high', 800, 'ByNamespace', everythingOf(user('system:kube-controller-manager'))),
  ],
  ['kube-scheduler', schema('workload-high', 800, 'ByNamespace', everythingOf(user('system:kube-scheduler')))],
  ['kube-system-service-accounts', schema('workload-high', 900, 'ByNamespace', everythingOf(account('*')))],
  ['service-accounts', schema('workload-low', 9000, 'ByUser', everythingOf(group('system:serviceaccounts')))],
  ['global-default', schema('global-default', 9900, 'ByUser', everythingOf(...everybody))],
]);
