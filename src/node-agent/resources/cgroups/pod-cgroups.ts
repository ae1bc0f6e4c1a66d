/** The control groups of pods, and those above them. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';

export interface PodCgroups {
  /** Makes the groups above all pods, with what pods may use together. Rejects where that cannot be enforced. */
  start(): Promise<void>;
  /** Makes the group of the pod, with its limits. */
  ensure(pod: Pod): Promise<void>;
  /** Limits classes of pods by what these ask for. */
  updateClasses(): Promise<void>;
  /** Takes it away; what still runs in it is killed. */
  remove(uid: string): Promise<void>;
  /** Of pods that have a group. */
  uids(): Promise<readonly string[]>;
}

export const noCgroups: PodCgroups = {
  start: () => Promise.resolve(),
  ensure: () => Promise.resolve(),
  updateClasses: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  uids: () => Promise.resolve([]),
};
