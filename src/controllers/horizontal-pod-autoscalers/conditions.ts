import type {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerConditionType,
} from '../../api/gen/types/autoscaling-v2.ts';
import { formatMs } from '../shared/times.ts';

/** The conditions of an autoscaler, as one look at it changes them. */
export class Conditions {
  readonly #all: HorizontalPodAutoscalerCondition[];
  readonly #nowMs: number;

  constructor(before: readonly HorizontalPodAutoscalerCondition[], nowMs: number) {
    this.#all = [...before];
    this.#nowMs = nowMs;
  }

  get all(): HorizontalPodAutoscalerCondition[] {
    return this.#all;
  }

  /** The time stays where the status does. */
  set(type: HorizontalPodAutoscalerConditionType, status: 'True' | 'False', reason: string, message: string): void {
    const index = this.#all.findIndex((condition) => condition.type === type);
    const before = this.#all[index];
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime! : formatMs(this.#nowMs);
    const next = { type, status, lastTransitionTime, reason, message };
    if (before === undefined) this.#all.push(next);
    else this.#all[index] = next;
  }
}
