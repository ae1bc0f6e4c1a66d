import { signingRequestCells, trustBundleCells } from '../../api/certificates/table.ts';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import {
  approvalStrategy,
  certificateSigningRequestStatusStrategy,
  certificateSigningRequestStrategy,
} from './certificate-signing-requests/strategy.ts';
import { clusterTrustBundleStrategy } from './cluster-trust-bundles/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<CertificateSigningRequest>({
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    strategy: certificateSigningRequestStrategy,
    status: certificateSigningRequestStatusStrategy,
    subresources: { approval: approvalStrategy },
    table: { cells: (request, { now }) => signingRequestCells(request, now) },
  }),
  defineResource<ClusterTrustBundle>({
    group: 'certificates.k8s.io',
    resource: 'clustertrustbundles',
    strategy: clusterTrustBundleStrategy,
    table: { cells: trustBundleCells },
  }),
];
