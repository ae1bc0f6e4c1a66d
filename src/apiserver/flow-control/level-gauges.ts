/** What the metrics of a level say of its state. */
import { estimatedMs, type FairQueue } from './fair-queue.ts';
import type { PriorityLevel } from './priority-level.ts';

interface LevelGauge {
  readonly help: string;
  readonly of: (level: PriorityLevel) => number;
}

export const levelGauges: Readonly<Record<string, LevelGauge>> = {
  nominal_limit_seats: { help: 'Seats of a level by its shares.', of: ({ bounds }) => bounds.nominal },
  request_concurrency_limit: { help: 'Seats of a level by its shares.', of: ({ bounds }) => bounds.nominal },
  lower_limit_seats: { help: 'Seats that a level does not lend.', of: ({ bounds }) => bounds.lower },
  upper_limit_seats: { help: 'Seats of a level with all that it may borrow.', of: ({ bounds }) => bounds.upper },
  current_limit_seats: { help: 'Seats that a level may use now.', of: ({ queues }) => queues.limit },
  target_seats: { help: 'Seats that a level should have had at the last adjustment.', of: ({ target }) => target },
  demand_seats_high_watermark: {
    help: 'Most seats that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.highWatermark,
  },
  demand_seats_average: {
    help: 'Seats on average that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.average,
  },
  demand_seats_stdev: {
    help: 'Standard deviation of the seats that a level could have used before the last adjustment.',
    of: ({ queues }) => queues.demand.deviation,
  },
  demand_seats_smoothed: {
    help: 'Seats that a level could have used, over several adjustments.',
    of: ({ queues }) => queues.demand.smoothed,
  },
  current_r: {
    help: 'Virtual time of a level, in seat-seconds of each queue.',
    of: ({ queues }) => queues.virtualTime / 1000,
  },
  dispatch_r: {
    help: 'Virtual time of a level at its last dispatch, in seat-seconds of each queue.',
    of: ({ queues }) => queues.lastDispatch / 1000,
  },
  latest_s: {
    help: 'Virtual start of the request of a level that was dispatched last, in seat-seconds of each queue.',
    of: ({ queues }) => queues.lastDue / 1000,
  },
};

interface StartBounds {
  readonly help: string;
  /** In seat-milliseconds. */
  readonly of: (level: PriorityLevel) => { readonly min: number; readonly max: number };
}

/** Over the queues in which requests wait; without any, the virtual time. */
function boundsOf({ queues }: PriorityLevel, startOf: (queue: FairQueue) => number): ReturnType<StartBounds['of']> {
  const starts = [...queues.active.values()].filter(({ length }) => length > 0).map(startOf);
  if (starts.length === 0) return { min: queues.virtualTime, max: queues.virtualTime };
  return starts.reduce((bounds, start) => ({ min: Math.min(bounds.min, start), max: Math.max(bounds.max, start) }), {
    min: Infinity,
    max: -Infinity,
  });
}

export const startBounds: Readonly<Record<string, StartBounds>> = {
  next_s_bounds: {
    help: 'Least and greatest virtual start of the oldest requests of queues, in seat-seconds.',
    of: (level) => boundsOf(level, ({ nextStart }) => nextStart),
  },
  next_discounted_s_bounds: {
    help: 'Least and greatest virtual start of the oldest requests of queues less the work that runs, in seat-seconds.',
    of: (level) => boundsOf(level, ({ nextStart, seatsInUse }) => nextStart - seatsInUse * estimatedMs),
  },
};
