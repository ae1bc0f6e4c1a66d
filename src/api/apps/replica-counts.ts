/** Rules of the counts that controllers report. */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { ReplicaSetStatus } from '../gen/types/apps-v1.ts';
import type { ReplicationControllerStatus } from '../gen/types/core-v1.ts';
import { checkNonNegative } from '../meta/checks.ts';

type Counts<Name extends string> = { readonly [N in Name]?: number | bigint };

export function checkCounts<Name extends string>(
  status: Counts<Name>,
  names: readonly Name[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of names) checkNonNegative(status[name], path.child(name), errors);
}

/** None of `names` may be above `bound`, which `boundName` calls by name. */
export function checkAtMost<Name extends string>(
  status: Counts<Name>,
  names: readonly Name[],
  bound: number | undefined,
  boundName: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const name of names) {
    const count = status[name] ?? 0;
    if (count > (bound ?? 0)) errors.push(invalid(path.child(name), count, `cannot be greater than ${boundName}`));
  }
}

/** How often names of children collided only grows: the next name depends on it. */
export function checkCollisionCount(
  { collisionCount: count }: { collisionCount?: number },
  { collisionCount: old }: { collisionCount?: number },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (old === undefined || (count !== undefined && count >= old)) return;
  errors.push(invalid(path.child('collisionCount'), count ?? 0, 'cannot be decremented'));
}

/** What a ReplicaSet and a ReplicationController say of their pods. */
export function checkReplicaStatus(status: ReplicaSetStatus | ReplicationControllerStatus, errors: FieldErrors): void {
  const path = FieldPath.of('status');
  checkCounts(
    status,
    ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    path,
    errors,
  );
  checkAtMost(
    status,
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    status.replicas,
    'status.replicas',
    path,
    errors,
  );
  checkAtMost(status, ['availableReplicas'], status.readyReplicas, 'readyReplicas', path, errors);
}
