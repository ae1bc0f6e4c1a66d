import type { ControllerRevision } from '../../gen/types/apps-v1.ts';
import { ageCell } from '../../table/cells.ts';

export function controllerRevisionCells(
  { metadata, revision = 0 }: ControllerRevision,
  now: Date,
): (string | number)[] {
  return [
    metadata.name ?? '',
    controllerCell(metadata.ownerReferences),
    Number(revision),
    ageCell(metadata.creationTimestamp, now),
  ];
}

/** `statefulset.apps/web` */
function controllerCell(owners: ControllerRevision['metadata']['ownerReferences']): string {
  const owner = owners?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const { apiVersion = '', kind = '', name = '' } = owner;
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]!}` : '';
  return `${kind.toLowerCase()}${group}/${name}`;
}
