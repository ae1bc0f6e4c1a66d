/**
 * Objects without which no request would have a place: their specs are fixed.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#mandatory-configuration-objects
 *   | Mandatory configuration objects}
 */
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec, Subject } from '../gen/types/flowcontrol-v1.ts';

export const group = (name: string): Subject => ({ kind: 'Group', group: { name } });

/** All verbs on all resources and URLs. */
export const everythingOf = (...subjects: Subject[]): NonNullable<FlowSchemaSpec['rules']> => [
  {
    subjects,
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  },
];

export const mandatoryFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: everythingOf(group('system:masters')),
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10000,
      distinguisherMethod: { type: 'ByUser' },
      rules: everythingOf(group('system:unauthenticated'), group('system:authenticated')),
    },
  ],
]);

export const mandatoryPriorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map<
  string,
  PriorityLevelConfigurationSpec
>([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
    },
  ],
]);
