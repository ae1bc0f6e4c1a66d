/** Which pods use a volume with which SELinux label, and where two of them cannot both have it. */

export interface VolumeUse {
  readonly label: string;
  /** Recursive, or MountOption. */
  readonly policy: string;
}

export interface Conflict {
  readonly property: 'SELinuxLabel' | 'SELinuxChangePolicy';
  /** Keys of pods. */
  readonly pod: string;
  readonly value: string;
  readonly other: string;
  readonly otherValue: string;
}

interface UsedVolume {
  readonly driver: string;
  readonly uses: Map<string, VolumeUse>;
}

export class VolumeUsers {
  readonly #volumes = new Map<string, UsedVolume>();
  /** Names of volumes, by the key of the pod. */
  readonly #byPod = new Map<string, Set<string>>();

  /** @returns conflicts of the pod with others that use the volume, for both sides */
  add(volume: string, driver: string, pod: string, use: VolumeUse): Conflict[] {
    const used = this.#volumes.get(volume) ?? { driver, uses: new Map<string, VolumeUse>() };
    this.#volumes.set(volume, used);
    this.#byPod.set(pod, (this.#byPod.get(pod) ?? new Set()).add(volume));
    used.uses.set(pod, use);
    return [...used.uses].flatMap(([other, otherUse]) => [
      ...conflictsOf(pod, use, other, otherUse),
      ...conflictsOf(other, otherUse, pod, use),
    ]);
  }

  remove(pod: string): void {
    for (const name of this.#byPod.get(pod) ?? []) {
      const used = this.#volumes.get(name);
      used?.uses.delete(pod);
      if (used?.uses.size === 0) this.#volumes.delete(name);
    }
    this.#byPod.delete(pod);
  }

  /** Keys of pods that use volumes of the driver. */
  podsOf(driver: string): string[] {
    return [...this.#volumes.values()].flatMap((used) => (used.driver === driver ? [...used.uses.keys()] : []));
  }

  /** All that there are, from both sides. */
  *conflicts(): Iterable<Conflict> {
    for (const { uses } of this.#volumes.values())
      for (const [pod, use] of uses)
        for (const [other, otherUse] of uses) yield* conflictsOf(pod, use, other, otherUse);
  }
}

function conflictsOf(pod: string, use: VolumeUse, other: string, otherUse: VolumeUse): Conflict[] {
  const found: Conflict[] = [];
  if (pod === other) return found;
  if (use.policy !== otherUse.policy)
    found.push({ property: 'SELinuxChangePolicy', pod, value: use.policy, other, otherValue: otherUse.policy });
  if (use.label !== otherUse.label)
    found.push({ property: 'SELinuxLabel', pod, value: use.label, other, otherValue: otherUse.label });
  return found;
}

const consequence = 'If both pods land on the same node, only one of them may access the volume.';

/** Says nothing of pods of other namespaces. */
export function messageOf({ property, pod, value, other, otherValue }: Conflict): string {
  const [namespace] = pod.split('/');
  const [otherNamespace, otherName] = other.split('/');
  if (namespace === otherNamespace)
    return (
      `${property} "${value}" conflicts with pod ${otherName} that uses the same volume as this pod with ` +
      `${property} "${otherValue}". ${consequence}`
    );
  return (
    `${property} "${value}" conflicts with another pod that uses the same volume as this pod with a different ` +
    `${property}. ${consequence}`
  );
}
