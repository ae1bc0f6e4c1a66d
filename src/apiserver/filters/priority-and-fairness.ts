import type { Clock } from '../../base/clock.ts';
import { tooManyRequests } from '../../machinery/status.ts';
import type { SeatRequest } from '../flow-control/fair-queue.ts';
import type { Classified, FlowControl } from '../flow-control/flow-control.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { isLongRunning } from '../request/request-info.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import { isRead } from './in-flight-limit.ts';
import { whileSent } from './while-sent.ts';

export interface FairnessOptions {
  readonly control: FlowControl;
  readonly requestTimeoutMs: number;
  /** That of the levels: it measures and ends the time in queues. */
  readonly clock: Clock;
}

/** A request waits for a part of its time, so that enough is left for the work. */
const waitPart = 1 / 4;
const mostWaitMs = 60_000;

/**
 * Lets a request run when its level has seats for it, keeps it waiting in a queue, or refuses it with 429. A list holds
 * its seats until it is sent, because most of its work is done then. A watch holds its seats until it has begun; other
 * long-running requests need none.
 *
 * @NOTE differs from upstream: a request that is handed over to an aggregated server has no seats from then on.
 */
export function queueFairly(
  { control, requestTimeoutMs, clock }: FairnessOptions,
  metrics: Pick<RequestMetrics, 'terminated' | 'inFlight' | 'inQueue'>,
): Filter {
  const running = { readOnly: 0, mutating: 0 };
  const waiting = { readOnly: 0, mutating: 0 };
  return async (request, next) => {
    const { info, user } = request;
    const isWatch = info.verb === 'watch';
    if (!isWatch && isLongRunning(info)) return next();
    const classified = control.classify(info, user);
    const { schema, level } = classified;
    request.flow = { schemaUid: schema.uid, levelUid: level.uid };
    const kind = isRead(info) ? 'readOnly' : 'mutating';
    const { entry, request: seats } = control.enter(classified, { info, user }, request.query);
    let isLet = entry === 'running';
    if (entry === 'waiting') {
      countWaiting(kind, 1);
      isLet = await waitForSeats(classified, seats, request);
      countWaiting(kind, -1);
    }
    schema.series.waited(((seats.startedAt ?? clock.now()) - seats.arrivedAt) / 1000, isLet);
    if (!isLet) {
      metrics.terminated(request, 429);
      request.isRefusedInPlainText = true;
      throw tooManyRequests('Too many requests, please try again later.', level.retryAfter.seconds);
    }
    const count = (change: 1 | -1): void => {
      running[kind] += change;
      metrics.inFlight(kind, running[kind]);
      control.noteCurrent(kind, 'executing', running[kind]);
    };
    count(1);
    let hasSeats = true;
    const leave = (): void => {
      if (!hasSeats) return;
      hasSeats = false;
      count(-1);
      schema.series.executed((clock.now() - seats.startedAt!) / 1000, isWatch ? 'watch' : 'regular');
      control.finish(classified, seats);
    };
    // An aggregated server that does not answer must not use up the seats of other requests.
    request.onHandOver = leave;
    let response;
    try {
      response = await next();
    } catch (error) {
      leave();
      throw error;
    }
    // A watch has begun, and only waits from here on.
    if (isWatch) {
      leave();
      request.exchange.onClose(control.beginWatch(info));
    }
    if (!hasSeats) return response;
    control.send(classified, seats);
    return whileSent(response, request, { clock, requestTimeoutMs }, leave);
  };

  function countWaiting(kind: 'readOnly' | 'mutating', change: 1 | -1): void {
    waiting[kind] += change;
    metrics.inQueue(kind, waiting[kind]);
    control.noteCurrent(kind, 'waiting', waiting[kind]);
  }

  /** False when the seats did not come in time, or the client went away. */
  function waitForSeats(classified: Classified, seats: SeatRequest, request: ApiRequest): Promise<boolean> {
    const leftMs = request.deadline === undefined ? requestTimeoutMs : request.deadline - performance.now();
    const { signal } = request;
    return new Promise((resolve) => {
      const end = (isLet: boolean): void => {
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
        resolve(isLet);
      };
      const giveUp = (reason: 'time-out' | 'cancelled'): void => {
        if (control.leave(classified, seats, reason)) end(false);
      };
      const onAbort = (): void => giveUp('cancelled');
      const timer = clock.after(Math.min(leftMs * waitPart, mostWaitMs), () => giveUp('time-out'));
      seats.onStart = () => end(true);
      if (signal.aborted) giveUp('cancelled');
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
