import { signingRequestCells } from '../../api/certificates/table.ts';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { defineResource, type ResourceDefinition } from '../strategy.ts';
import {
  approvalStrategy,
  certificateSigningRequestStatusStrategy,
  certificateSigningRequestStrategy,
} from './certificate-signing-requests/strategy.ts';

export const definitions: readonly ResourceDefinition[] = [
  defineResource<CertificateSigningRequest>({
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    strategy: certificateSigningRequestStrategy,
    status: certificateSigningRequestStatusStrategy,
    subresources: { approval: approvalStrategy },
    table: { cells: (request, { now }) => signingRequestCells(request, now) },
  }),
];
