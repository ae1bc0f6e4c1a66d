/** Jobs and their pods for tests, at a fixed time. */
import type { Job, JobSpec, JobStatus } from '../../../api/gen/types/batch-v1.ts';
import type { ContainerStatus, Pod, PodCondition } from '../../../api/gen/types/core-v1.ts';
import { failureCountName, ignoredFailureCountName, indexName, trackingFinalizer } from '../job-pods.ts';

/** 2026-01-01T12:00:00Z */
export const nowMs = Date.UTC(2026, 0, 1, 12);

/** @param seconds before {@link nowMs} */
export const ago = (seconds: number): string => new Date(nowMs - seconds * 1000).toISOString().replace('.000Z', 'Z');

export const now = ago(0);

export function jobOf(
  spec: Partial<JobSpec> = {},
  status: JobStatus = {},
  metadata: Partial<Job['metadata']> = {},
): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace: 'default', uid: 'job', creationTimestamp: ago(600), ...metadata },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      template: {
        metadata: { labels: { app: 'work' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1', resources: {} }] },
      },
      ...spec,
    },
    status,
  };
}

/** A Job that gives each pod an index. */
export const indexedJob = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job =>
  jobOf({ completionMode: 'Indexed', completions: 3, parallelism: 3, ...spec }, status);

export interface PodOptions {
  readonly phase?: string;
  readonly isReady?: boolean;
  readonly isDeleted?: boolean;
  /** Without the finalizer: counted already. */
  readonly isCounted?: boolean;
  readonly index?: number | string;
  readonly failures?: number;
  readonly ignoredFailures?: number;
  readonly node?: string;
  /** Seconds ago. */
  readonly finished?: number;
  readonly created?: number;
  readonly exitCode?: number;
  readonly restarts?: number;
  readonly conditions?: readonly PodCondition[];
}

/** @param name also the identity */
export function podOf(name: string, options: PodOptions = {}): Pod {
  const { phase = 'Running', isReady = false, isDeleted = false, isCounted = false, node } = options;
  const ready: PodCondition = { type: 'Ready', status: 'True', lastTransitionTime: ago(60) };
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      creationTimestamp: ago(options.created ?? 300),
      ...(isDeleted ? { deletionTimestamp: ago(-30), deletionGracePeriodSeconds: 30 } : {}),
      ...(isCounted ? {} : { finalizers: [trackingFinalizer] }),
      annotations: annotationsOf(options),
    },
    spec: { containers: [{ name: 'app', resources: {} }], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: [...(isReady ? [ready] : []), ...(options.conditions ?? [])],
      containerStatuses: [containerOf(options)],
    } as NonNullable<Pod['status']>,
  };
}

function annotationsOf({ index, failures, ignoredFailures }: PodOptions): Record<string, string> {
  return {
    ...(index === undefined ? {} : { [indexName]: String(index) }),
    ...(failures === undefined ? {} : { [failureCountName]: String(failures) }),
    ...(ignoredFailures === undefined ? {} : { [ignoredFailureCountName]: String(ignoredFailures) }),
  };
}

function containerOf({ phase, finished = 100, exitCode, restarts = 0 }: PodOptions): ContainerStatus {
  const code = exitCode ?? (phase === 'Failed' ? 1 : 0);
  const terminated = { exitCode: code, finishedAt: ago(finished) };
  const isOver = phase === 'Failed' || phase === 'Succeeded' || exitCode !== undefined;
  return { name: 'app', restartCount: restarts, ...(isOver ? { state: { terminated } } : {}) } as ContainerStatus;
}
