import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import type { LeaseCandidate } from '../../api/gen/types/coordination-v1alpha2.ts';
import { ageCell } from '../../api/table/cells.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import { leaseCandidateStrategy } from './lease-candidates/strategy.ts';
import { leaseStrategy } from './leases/strategy.ts';

export const coordination: readonly ResourceDefinition[] = [
  defineResource<Lease>({
    group: 'coordination.k8s.io',
    resource: 'leases',
    strategy: leaseStrategy,
    table: {
      cells: ({ metadata, spec }, { now }) => [
        metadata.name ?? '',
        spec.holderIdentity ?? '',
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
  defineResource<LeaseCandidate>({
    group: 'coordination.k8s.io',
    resource: 'leasecandidates',
    strategy: leaseCandidateStrategy,
    table: {
      cells: ({ metadata, spec }, { now }) => [
        metadata.name ?? '',
        spec.leaseName ?? '',
        spec.binaryVersion ?? '',
        spec.emulationVersion ?? '',
        ageCell(metadata.creationTimestamp, now),
      ],
    },
  }),
];
