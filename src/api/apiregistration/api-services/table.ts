import type { APIService, APIServiceStatus, ServiceReference } from '../../gen/types/apiregistration-v1.ts';
import { ageCell } from '../../table/cells.ts';

export const apiServiceCells = ({ metadata, spec, status }: APIService, now: Date): string[] => [
  metadata.name ?? '',
  serviceCell(spec.service),
  availableCell(status),
  ageCell(metadata.creationTimestamp, now),
];

const serviceCell = (service: ServiceReference | undefined): string =>
  service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;

/** `True`, or the state and why: `False (ServiceNotFound)`. */
function availableCell({ conditions }: APIServiceStatus): string {
  const available = conditions?.find(({ type }) => type === 'Available');
  if (available === undefined) return 'Unknown';
  const { status = '', reason = '' } = available;
  return status === 'True' || reason === '' ? status : `${status} (${reason})`;
}
