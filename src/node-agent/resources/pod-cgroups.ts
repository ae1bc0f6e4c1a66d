/** The control groups of pods. */
import type { Pod } from '../../api/gen/types/core-v1.ts';

export interface PodCgroups {
  /** Makes the group of the pod, with its limits. */
  ensure(pod: Pod): Promise<void>;
  /** Takes it away; what still runs in it is killed. */
  remove(uid: string): Promise<void>;
  /** Of pods that have a group. */
  uids(): Promise<readonly string[]>;
}

export const noCgroups: PodCgroups = {
  ensure: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  uids: () => Promise.resolve([]),
};
