import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from '../server/metrics/metric-registry.ts';
import { createSchedulerMetrics } from './metrics.ts';

test('What the scheduler does is shown under the names and labels of kube-scheduler', async () => {
  const registry = new MetricRegistry({ ...allMetrics, showHidden: true });
  const metrics = createSchedulerMetrics(registry);
  metrics.attempted('default-scheduler', 'scheduled', 0.01);
  metrics.attempted('default-scheduler', 'unschedulable', 0.01);
  metrics.scheduled({ attempts: 20, seconds: 1, sinceCreated: 2 });
  metrics.algorithm(0.001);
  metrics.extensionPoint('Filter', 'default-scheduler', 'Success', 0.001);
  metrics.plugin('Filter', 'NodeName', 'Success', 1e-6);
  metrics.evaluated('Filter', 'NodeName', 'default-scheduler');
  metrics.permitWaited('allowed', 1);
  metrics.preempted(3);
  metrics.preemptionAttempted();
  metrics.incoming('active', 'PodAdd');
  metrics.eventHandled('NodeAdd', 0.001);
  metrics.hinted('NodeName', 'NodeAdd', 'Queue', 1e-5);
  metrics.volumesFailed('bind');
  metrics.show({
    pending: () => ({ active: 1, backoff: 2, unschedulable: 3, gated: 4 }),
    unschedulable: () => [{ plugin: 'NodeName', profile: 'default-scheduler', count: 3 }],
    cache: () => ({ nodes: 5, pods: 6, assumed_pods: 1 }),
    inFlightEvents: () => ({ NodeAdd: 7, AssignedPodDelete: 2 }),
    bindings: () => 8,
  });
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('scheduler_'));
  const shown = lines.filter((line) => !/_bucket\{|_sum/.test(line));
  expect(shown.sort()).toEqual(
    [
      'scheduler_event_handling_duration_seconds_count{event="NodeAdd"} 1',
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",' +
        'profile="default-scheduler",status="Success"} 1',
      'scheduler_goroutines{operation="binding"} 8',
      'scheduler_inflight_events{event="AssignedPodDelete"} 2',
      'scheduler_inflight_events{event="NodeAdd"} 7',
      'scheduler_pending_pods{queue="active"} 1',
      'scheduler_pending_pods{queue="backoff"} 2',
      'scheduler_pending_pods{queue="gated"} 4',
      'scheduler_pending_pods{queue="unschedulable"} 3',
      'scheduler_permit_wait_duration_seconds_count{result="allowed"} 1',
      'scheduler_plugin_evaluation_total{extension_point="Filter",plugin="NodeName",profile="default-scheduler"} 1',
      'scheduler_plugin_execution_duration_seconds_count{extension_point="Filter",plugin="NodeName",' +
        'status="Success"} 1',
      'scheduler_pod_scheduling_attempts_count 1',
      'scheduler_pod_scheduling_duration_seconds_count{attempts="15"} 1',
      'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="15"} 1',
      'scheduler_preemption_attempts_total 1',
      'scheduler_preemption_victims_count 1',
      'scheduler_queue_incoming_pods_total{event="PodAdd",queue="active"} 1',
      'scheduler_queueing_hint_execution_duration_seconds_count{event="NodeAdd",hint="Queue",plugin="NodeName"} 1',
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="unschedulable"} 1',
      'scheduler_scheduler_cache_size{type="assumed_pods"} 1',
      'scheduler_scheduler_cache_size{type="nodes"} 5',
      'scheduler_scheduler_cache_size{type="pods"} 6',
      'scheduler_scheduling_algorithm_duration_seconds_count 1',
      'scheduler_scheduling_attempt_duration_seconds_count{profile="default-scheduler",result="scheduled"} 1',
      'scheduler_scheduling_attempt_duration_seconds_count{profile="default-scheduler",result="unschedulable"} 1',
      'scheduler_volume_scheduling_stage_error_total{operation="bind"} 1',
      'scheduler_unschedulable_pods{plugin="NodeName",profile="default-scheduler"} 3',
    ].sort(),
  );
});
