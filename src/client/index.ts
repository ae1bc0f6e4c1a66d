/**
 * `orch/client`: the client of Kubernetes-compatible API servers, and what controllers are made of.
 *
 * ```ts
 * await using client = createClient(await loadKubeconfig());
 * const pods = await client.core.v1.pods.namespace('default').list();
 * ```
 */
export type { Clock } from '../base/clock.ts';
export type { Logger } from '../base/logger.ts';
export type { KubeObject, ObjectMeta } from '../machinery/object-meta.ts';
export * from './api-error.ts';
export {
  type Client,
  type ClientBase,
  type ClientOptions,
  createClient,
  type GroupVersionResource,
} from './client.ts';
export type { ClientConfig } from './client-config.ts';
export type { Impersonation } from './impersonation.ts';
export type { ApiGroups } from './gen/api-groups.ts';
export { KubeconfigError } from './kubeconfig/fields.ts';
export { inCluster, loadKubeconfig, type LoadOptions, parseClientConfig } from './kubeconfig/load.ts';
export { createRequestLimiter, type RateLimits, type RequestLimiter } from './requests/rate-limit.ts';
export type { Fence } from './requests/fence.ts';
export type { ClientRequest, PendingAnswer, RequestObserver } from './requests/sender.ts';
export type * from './resources/options.ts';
export type { ListMeta, ObjectList } from './resources/object-list.ts';
export type { Page } from './resources/list-all.ts';
export { ResourceClient, type SourceOptions } from './resources/resource-client.ts';
export type { ClusterResource, Input, NamespacedResource, Subresource } from './resources/typed-resources.ts';
export type { WatchEvent } from './resources/watch.ts';
export type { LogOptions, PodLogs } from './streams/pod-logs.ts';
export type { PodPortForward } from './streams/port-forward.ts';
export type { AttachOptions, ExecOptions, PodAttach, PodExec, RemoteCommand } from './streams/remote-command.ts';
export type { ProxiedRequest, ResourceProxy } from './streams/resource-proxy.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type EventType,
} from './events/recorder.ts';
export {
  createSeriesRecorder,
  type RecordedEvent,
  type SeriesRecorder,
  type SeriesRecorderOptions,
} from './events/series-recorder.ts';
export { createLock, type LockKind, lockKinds } from './leader-election/create-lock.ts';
export { createElector, type ElectionEnd, type ElectionOptions, type Elector } from './leader-election/elector.ts';
export { type Leadership, LeadershipLostError } from './leader-election/leadership.ts';
export type { ResourceLock } from './leader-election/lock.ts';
export {
  changesOf,
  Controller,
  type ControllerOptions,
  type SyncResult,
  TerminalError,
  type Trigger,
} from '../reconcile/controller.ts';
export { type HandlerRegistration, type InformerHandler, onEveryChange } from '../reconcile/handlers.ts';
export type { Indexer, Indexers } from '../reconcile/indexers.ts';
export { Informer, type InformerOptions } from '../reconcile/informer.ts';
export {
  createSharedInformers,
  type InformerLease,
  type InformerSelection,
  type SharedInformers,
  type SharedInformersOptions,
  type WatchedResource,
} from './shared-informers.ts';
export { MutationCache } from '../reconcile/mutation-cache.ts';
export { Lister, namespaceIndexer } from '../reconcile/lister.ts';
export {
  defaultRateLimiter,
  ExponentialRateLimiter,
  MaxOfRateLimiter,
  type RateLimiter,
  TokenBucketRateLimiter,
} from '../reconcile/rate-limiter.ts';
export type { Source } from '../reconcile/source.ts';
export { WorkQueue, type WorkQueueObserver, type WorkQueueOptions } from '../reconcile/work-queue.ts';
