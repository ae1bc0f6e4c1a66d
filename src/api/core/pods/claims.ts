/**
 * The PersistentVolumeClaims of a pod: those that its volumes name, and those of its ephemeral volumes, which are made
 * for the pod and named after it and the volume.
 * @see {@link https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes | Generic
 *   ephemeral volumes}
 */
import type { Pod, Volume } from '../../gen/types/core-v1.ts';

export const ephemeralClaimName = ({ metadata }: Pod, { name }: Volume): string => `${metadata.name}-${name}`;

/** A claim that a volume of a pod names. */
export interface NamedClaim {
  /** `namespace/name` */
  readonly key: string;
  readonly name: string;
  /** The claim is made for the pod, and goes with it. */
  readonly isEphemeral: boolean;
}

export function namedClaims(pod: Pod): NamedClaim[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return [];
    return [{ key: keyOf(pod, name), name, isEphemeral: volume.persistentVolumeClaim === undefined }];
  });
}

const noKeys: readonly string[] = [];

/** Keys of the same claims. A scheduler keeps them of every pod: most have none, and share one list. */
export function claimKeys(pod: Pod): readonly string[] {
  let keys: string[] | undefined;
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name !== undefined) (keys ??= []).push(keyOf(pod, name));
  }
  return keys ?? noKeys;
}

function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : ephemeralClaimName(pod, volume);
}

const keyOf = ({ metadata }: Pod, name: string): string => `${metadata.namespace ?? ''}/${name}`;
