/** What the scheduler tells of its work, for metrics. */
import type { Code } from './status.ts';

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

export interface SchedulerObserver {
  /** One attempt to schedule a pod has ended. */
  attempted(profile: string, result: AttemptResult, seconds: number): void;
  /** A pod has been bound. */
  scheduled(pod: { readonly attempts: number; readonly seconds: number; readonly sinceCreated: number }): void;
  /** A node was chosen. */
  algorithm(seconds: number): void;
  extensionPoint(point: string, profile: string, status: Code | 'Success', seconds: number): void;
  plugin(point: string, plugin: string, status: Code | 'Success', seconds: number): void;
  evaluated(point: string, plugin: string, profile: string): void;
  permitWaited(result: string, seconds: number): void;
  preempted(victims: number): void;
  preemptionAttempted(): void;
  incoming(queue: string, event: string): void;
  /** A change of the cluster was taken in, and the pods that it may help were woken. */
  eventHandled(event: string, seconds: number): void;
  /** A plugin was asked whether a change helps a pod. */
  hinted(plugin: string, event: string, hint: 'Queue' | 'QueueSkip', seconds: number): void;
  /** Volumes of a pod could not be bound. */
  volumesFailed(stage: 'bind'): void;
}

export const silentObserver: SchedulerObserver = {
  attempted: () => undefined,
  scheduled: () => undefined,
  algorithm: () => undefined,
  extensionPoint: () => undefined,
  plugin: () => undefined,
  evaluated: () => undefined,
  permitWaited: () => undefined,
  preempted: () => undefined,
  preemptionAttempted: () => undefined,
  incoming: () => undefined,
  eventHandled: () => undefined,
  hinted: () => undefined,
  volumesFailed: () => undefined,
};
