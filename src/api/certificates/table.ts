import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '../gen/types/certificates-v1.ts';
import type { ClusterTrustBundle } from '../gen/types/certificates-v1alpha1.ts';
import { humanDuration } from '../../machinery/human-duration.ts';
import { ageCell, textCell } from '../table/cells.ts';

export const signingRequestCells = ({ metadata, spec, status }: CertificateSigningRequest, now: Date): string[] => [
  metadata.name ?? '',
  ageCell(metadata.creationTimestamp, now),
  textCell(spec.signerName),
  spec.username ?? '',
  spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000),
  stateCell(status),
];

export const trustBundleCells = ({ metadata, spec }: ClusterTrustBundle): string[] => [
  metadata.name ?? '',
  textCell(spec.signerName),
];

/** The decision, and what came of it: `Approved,Issued`. */
function stateCell({ conditions = [], certificate = '' }: CertificateSigningRequestStatus): string {
  const has = (wanted: string): boolean => conditions.some(({ type }) => type === wanted);
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${certificate === '' ? '' : ',Issued'}`;
}
