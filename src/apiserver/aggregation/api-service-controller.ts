/** A controller whose keys are the names of APIServices: the work that fails is logged, and tried again later. */
import type { Logger } from '../../base/logger.ts';
import { Controller, type SyncResult } from '../../reconcile/controller.ts';
import { ExponentialRateLimiter } from '../../reconcile/rate-limiter.ts';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';

export interface ApiServiceControllerOptions {
  readonly sync: (name: string, signal: AbortSignal) => Promise<SyncResult>;
  /** The message of the log when the work for an APIService failed. */
  readonly failure: string;
  readonly workers: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly queue: WorkQueueObserver;
  readonly log: Logger;
}

export function startApiServiceController(options: ApiServiceControllerOptions): Controller {
  const { sync, failure, workers, firstRetryMs, maxRetryMs, queue, log } = options;
  const controller = new Controller({
    sync,
    onFailure: (name, error) => log.warn({ err: error, apiService: name }, failure),
    workers,
    rateLimiter: new ExponentialRateLimiter({ firstMs: firstRetryMs, maxMs: maxRetryMs }),
    observer: queue,
  });
  controller.start();
  return controller;
}
