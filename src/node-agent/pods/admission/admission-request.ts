/** What the admission at the node is asked, and its answer. */
import type { Pod, Taint } from '../../../api/gen/types/core-v1.ts';

export interface Refusal {
  /** `OutOfcpu` */
  readonly reason: string;
  readonly message: string;
}

export interface AdmissionNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly allocatable: Readonly<Record<string, string>>;
  /** `MemoryPressure` and the like, those that are true. */
  readonly pressures: readonly string[];
  readonly hasAppArmor: boolean;
  /** `6.1.0` */
  readonly kernelVersion: string;
  /** Names, or prefixes that end with `*`. */
  readonly allowedUnsafeSysctls: readonly string[];
  readonly isShuttingDown: boolean;
}

export interface AdmissionRequest {
  readonly pod: Pod;
  /** Those of the node that have not ended. */
  readonly others: readonly Pod[];
  readonly node: AdmissionNode;
  readonly isStatic: boolean;
}
