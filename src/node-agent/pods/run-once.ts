/** `runOnce`: whether the pods of a node have come to run, as far as they will. Pure. */
import type { Pod } from '../../api/gen/types/core-v1.ts';

/** How long pods have: as long as upstream tries, one second and then twice as long each of ten times. */
export const runOnceMs = 1_023_000;

/** Names of pods of which a container neither runs nor has ended well. */
export function podsThatDoNotRun(pods: readonly Pod[]): readonly string[] {
  return pods.filter((pod) => !hasRun(pod)).map(({ metadata }) => metadata.name ?? '');
}

function hasRun({ spec, status }: Pod): boolean {
  if (status?.phase === 'Succeeded') return true;
  const statuses = status?.containerStatuses ?? [];
  return (
    status?.phase === 'Running' &&
    (spec.containers ?? []).every(({ name }) => {
      const state = statuses.find((container) => container.name === name)?.state;
      return state?.running !== undefined || state?.terminated?.exitCode === 0;
    })
  );
}
