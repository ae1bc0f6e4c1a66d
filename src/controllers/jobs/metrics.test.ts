import { describe, expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { noBackoff } from './backoff.ts';
import { jobMetrics, type JobMetrics } from './metrics.ts';
import { stateOf } from './sync.ts';
import { indexedJob, jobOf, nowMs, podOf } from './testing/builders.ts';

/** The lines of a scrape that an action leads to, without the prefix of the controller. */
async function scrapeAfter(act: (metrics: JobMetrics) => void): Promise<string[]> {
  const registry = new MetricRegistry(allMetrics);
  act(jobMetrics(registry)!);
  const lines = (await registry.metrics()).split('\n');
  return lines
    .filter((line) => line.startsWith('job_controller_') && !line.includes('_bucket'))
    .map((line) => line.slice('job_controller_'.length));
}

describe('metrics of the Job controller', () => {
  const state = (failed: number, policy?: 'Failed') =>
    stateOf(jobOf(policy === undefined ? {} : { podReplacementPolicy: policy }, { failed }), [], noBackoff, nowMs);

  test.each<{ name: string; act: (metrics: JobMetrics) => void; lines: readonly string[] }>([
    {
      name: 'a sync',
      act: (metrics) => metrics.synced(jobOf(), 'create', true, 0.5),
      lines: [
        'job_syncs_total{completion_mode="NonIndexed",result="success",action="pods_created"} 1',
        'job_sync_duration_seconds_sum{completion_mode="NonIndexed",result="success",action="pods_created"} 0.5',
        'job_sync_duration_seconds_count{completion_mode="NonIndexed",result="success",action="pods_created"} 1',
      ],
    },
    {
      name: 'new pods',
      act: (metrics) => metrics.created(state(0), 2, 1),
      lines: [
        'job_pods_creation_total{reason="new",status="succeeded"} 2',
        'job_pods_creation_total{reason="new",status="failed"} 1',
      ],
    },
    {
      name: 'pods in place of others',
      act: (metrics) => metrics.created(state(1), 1, 0),
      lines: ['job_pods_creation_total{reason="recreate_terminating_or_failed",status="succeeded"} 1'],
    },
    {
      name: 'pods in place of failed ones',
      act: (metrics) => metrics.created(state(1, 'Failed'), 1, 0),
      lines: ['job_pods_creation_total{reason="recreate_failed",status="succeeded"} 1'],
    },
    {
      name: 'pods that are counted',
      act: (metrics) => metrics.counted(jobOf(), { succeeded: 1 }, { succeeded: 3, failed: 1 }),
      lines: [
        'job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1',
        'job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
      ],
    },
    {
      name: 'indexes that are over',
      act: (metrics) =>
        metrics.counted(
          indexedJob({ backoffLimitPerIndex: 1 }),
          { completedIndexes: '0' },
          {
            completedIndexes: '0,1',
            failedIndexes: '2',
          },
        ),
      lines: [
        'job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 1',
        'job_finished_indexes_total{status="succeeded",backoffLimit="perIndex"} 1',
        'job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 1',
      ],
    },
    {
      name: 'a Job that is complete',
      act: (metrics) => metrics.finished(jobOf(), { type: 'Complete', status: 'True', reason: 'CompletionsReached' }),
      lines: ['jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason=""} 1'],
    },
    {
      name: 'a Job that failed',
      act: (metrics) => metrics.finished(jobOf(), { type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }),
      lines: ['jobs_finished_total{completion_mode="NonIndexed",result="failed",reason="DeadlineExceeded"} 1'],
    },
    {
      name: 'failures that a policy judged',
      act: (metrics) => metrics.judged(['Ignore', 'Count', 'Ignore']),
      lines: [
        'pod_failures_handled_by_failure_policy_total{action="Ignore"} 2',
        'pod_failures_handled_by_failure_policy_total{action="Count"} 1',
      ],
    },
    {
      name: 'a Job of another controller',
      act: (metrics) => metrics.external('example.com/other'),
      lines: ['jobs_by_external_controller_total{controller_name="example.com/other"} 1'],
    },
    {
      name: 'finished pods with the finalizer',
      act: (metrics) => {
        metrics.podChanged(podOf('a'), podOf('a', { phase: 'Failed' }));
        metrics.podChanged(undefined, podOf('b', { phase: 'Succeeded' }));
        metrics.podChanged(podOf('a', { phase: 'Failed' }), podOf('a', { phase: 'Failed', isCounted: true }));
        metrics.podChanged(podOf('c'), undefined);
      },
      lines: [
        'terminated_pods_tracking_finalizer_total{event="add"} 2',
        'terminated_pods_tracking_finalizer_total{event="delete"} 1',
      ],
    },
  ])('Metrics of the Job controller: $name', async ({ act, lines }) => {
    expect((await scrapeAfter(act)).toSorted()).toEqual([...lines].toSorted());
  });

  test('Jobs of other controllers have 100 series at most, and one for the rest', async () => {
    const lines = await scrapeAfter((metrics) => {
      for (let i = 0; i < 500; i++) metrics.external(`example.com/${i}`);
      metrics.external('example.com/7');
    });
    expect(lines).toHaveLength(101);
    expect(lines).toContain('jobs_by_external_controller_total{controller_name="example.com/7"} 2');
    expect(lines).toContain('jobs_by_external_controller_total{controller_name="other"} 400');
  });

  test('A Job controller that is started again counts on', () => {
    const registry = new MetricRegistry(allMetrics);
    expect(jobMetrics(registry)).toBe(jobMetrics(registry));
    expect(jobMetrics(undefined)).toBeUndefined();
  });
});
