/**
 * How much may be built on a metric. What is not named here is ALPHA; what the runtime and its client library show has
 * no level.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference}
 */
export type StabilityLevel = 'STABLE' | 'BETA' | 'ALPHA';

export interface MetricLevel {
  readonly level: StabilityLevel;
  /** Version since which there is another metric in its place. It is hidden from the next one on. */
  readonly deprecatedSince?: string;
}

const stable: ReadonlySet<string> = new Set([
  'apiserver_admission_controller_admission_duration_seconds',
  'apiserver_admission_step_admission_duration_seconds',
  'apiserver_admission_webhook_admission_duration_seconds',
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
  'apiserver_request_duration_seconds',
  'apiserver_request_total',
  'apiserver_requested_deprecated_apis',
  'apiserver_response_sizes',
  'apiserver_storage_objects',
  'apiserver_storage_size_bytes',
  'cronjob_controller_job_creation_skew_duration_seconds',
  'job_controller_job_pods_finished_total',
  'job_controller_job_sync_duration_seconds',
  'job_controller_job_syncs_total',
  'job_controller_jobs_finished_total',
  'kube_pod_resource_limit',
  'kube_pod_resource_request',
  'kubernetes_healthcheck',
  'kubernetes_healthchecks_total',
  'scheduler_framework_extension_point_duration_seconds',
  'scheduler_pending_pods',
  'scheduler_pod_scheduling_attempts',
  'scheduler_pod_scheduling_duration_seconds',
  'scheduler_preemption_attempts_total',
  'scheduler_preemption_victims',
  'scheduler_queue_incoming_pods_total',
  'scheduler_schedule_attempts_total',
  'scheduler_scheduling_attempt_duration_seconds',
]);

const beta: ReadonlySet<string> = new Set([
  'apiserver_cel_compilation_duration_seconds',
  'apiserver_cel_evaluation_duration_seconds',
  'apiserver_validating_admission_policy_check_duration_seconds',
  'apiserver_validating_admission_policy_check_total',
  'apiserver_flowcontrol_current_executing_requests',
  'apiserver_flowcontrol_current_executing_seats',
  'apiserver_flowcontrol_current_inqueue_requests',
  'apiserver_flowcontrol_dispatched_requests_total',
  'apiserver_flowcontrol_nominal_limit_seats',
  'apiserver_flowcontrol_rejected_requests_total',
  'apiserver_flowcontrol_request_wait_duration_seconds',
  'disabled_metrics_total',
  'hidden_metrics_total',
  'kubernetes_feature_enabled',
  'registered_metrics_total',
  'scheduler_pod_scheduling_sli_duration_seconds',
]);

const deprecated: ReadonlyMap<string, string> = new Map([
  ['apiserver_encryption_config_controller_automatic_reload_failures_total', '1.30.0'],
  ['apiserver_encryption_config_controller_automatic_reload_success_total', '1.30.0'],
  ['apiserver_flowcontrol_request_concurrency_in_use', '1.31.0'],
  ['apiserver_flowcontrol_request_concurrency_limit', '1.30.0'],
  ['apiserver_request_slo_duration_seconds', '1.27.0'],
  ['apiserver_storage_db_total_size_in_bytes', '1.28.0'],
  ['kube_apiserver_pod_logs_pods_logs_backend_tls_failure_total', '1.27.0'],
  ['kube_apiserver_pod_logs_pods_logs_insecure_backend_total', '1.27.0'],
  ['scheduler_pod_scheduling_duration_seconds', '1.29.0'],
]);

/** Undefined for what is not the server's own. */
export function levelOf(name: string): MetricLevel | undefined {
  if (/^(process|nodejs)_/.test(name)) return undefined;
  const since = deprecated.get(name);
  const level = stable.has(name) ? 'STABLE' : beta.has(name) ? 'BETA' : 'ALPHA';
  return since === undefined ? { level } : { level, deprecatedSince: since };
}
