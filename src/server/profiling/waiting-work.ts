/**
 * What this process waits for, in the place of Go's goroutines: the resources that the event loop waits for, and, when
 * it is watched for a time, the asynchronous work that began in this time and has not ended, by where it began.
 */
import { createHook } from 'node:async_hooks';
import { sleep, systemClock } from '../../base/clock.ts';
import type { Frame, Profile, StackSample } from './pprof.ts';

/** Pieces of work that are kept at once: what begins while there are so many is not shown. */
const maxTraced = 100_000;
const maxFrames = 32;

/** @param durationMs 0 shows the resources alone, and takes no time */
export async function waitingWork(durationMs: number, signal: AbortSignal): Promise<Profile> {
  const begunAt = Date.now();
  const pending = durationMs === 0 ? [] : await pendingWork(durationMs, signal);
  return {
    sampleTypes: [{ type: 'goroutine', unit: 'count' }],
    samples: [...activeResources(), ...pending],
    periodType: { type: 'goroutine', unit: 'count' },
    period: 1,
    begunAt,
    durationMs,
  };
}

const named = (functionName: string): Frame => ({ functionName, url: '', lineNumber: 0 });

/** `TCPSocketWrap`, `Timeout`, …: what keeps the event loop alive, by its type. */
function activeResources(): StackSample[] {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => ({ stack: [named(type), named('event loop')], values: [count] }));
}

async function pendingWork(durationMs: number, signal: AbortSignal): Promise<readonly StackSample[]> {
  const pending = new Map<number, { readonly type: string; readonly stack: readonly Frame[] }>();
  const forget = (id: number): void => void pending.delete(id);
  const hook = createHook({
    init(id, type) {
      if (pending.size < maxTraced) pending.set(id, { type, stack: callers() });
    },
    destroy: forget,
    promiseResolve: forget,
  });
  hook.enable();
  try {
    await sleep(systemClock, durationMs, signal);
  } finally {
    hook.disable();
  }
  const byStack = new Map<string, { stack: readonly Frame[]; count: number }>();
  for (const { type, stack } of pending.values()) {
    const key = JSON.stringify([type, stack]);
    const found = byStack.get(key) ?? { stack: [named(type), ...stack], count: 0 };
    found.count++;
    byStack.set(key, found);
  }
  return [...byStack.values()].map(({ stack, count }) => ({ stack, values: [count] }));
}

/** The functions that are running, the innermost first, without this module and the hook. */
function callers(): readonly Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = maxFrames;
    Error.prepareStackTrace = (_, sites) => sites;
    const { stack } = new Error() as unknown as { readonly stack: readonly NodeJS.CallSite[] };
    return stack
      .map((site) => ({
        functionName: site.getFunctionName() ?? '',
        url: site.getFileName() ?? '',
        lineNumber: (site.getLineNumber() ?? 1) - 1,
      }))
      .filter(({ url }) => !url.startsWith('node:internal/async_hooks'))
      .slice(2);
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
