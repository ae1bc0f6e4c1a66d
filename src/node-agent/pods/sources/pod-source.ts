/** Where pods of this node come from. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';

export interface PodSink {
  /** A pod is new, or has changed. */
  set(pod: Pod): void;
  /** A pod is gone. */
  remove(uid: string): void;
}

export interface PodSource {
  /** It has said once which pods there are. */
  readonly hasSynced: boolean;
  start(): void;
  stop(): Promise<void>;
}
