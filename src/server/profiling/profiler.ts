/** Profiles of this process by V8's own profilers, for a time that the caller waits. */
import type inspector from 'node:inspector';
import { sleep, systemClock } from '../../base/clock.ts';
import type { Frame, Profile, StackSample } from './pprof.ts';

/** Another profile of the same kind is being made. */
export class ProfilingInUse extends Error {
  override readonly name = 'ProfilingInUse';
}

const sampleIntervalUs = 1000;
/** As Go's: a sample for each so many bytes allocated. */
const heapIntervalBytes = 512 * 1024;

type Post = (method: string, parameters?: object) => Promise<unknown>;

/** @returns what resolves when no more events come */
type OnEvents = (listener: (events: readonly unknown[]) => void) => Promise<void>;

const inUse = new Set<string>();

/** Only one at a time: V8 has one profiler of a kind. */
async function profiled<T>(kind: string, work: (post: Post, onEvents: OnEvents) => Promise<T>): Promise<T> {
  if (inUse.has(kind)) throw new ProfilingInUse(`${kind} profiling already in use`);
  inUse.add(kind);
  // Loaded at first use: most processes are never profiled.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  try {
    session.connect();
    return await work(session.post.bind(session) as Post, (listener) => {
      session.on('NodeTracing.dataCollected', ({ params }) => listener(params.value));
      return new Promise((resolve) => session.once('NodeTracing.tracingComplete', () => resolve()));
    });
  } finally {
    session.disconnect();
    inUse.delete(kind);
  }
}

/** As V8 answers; the types of Node lack a part of it. */
export interface HeapProfile {
  readonly head: HeapNode;
  /** One for each sampled allocation that is still in use. */
  readonly samples: readonly { readonly nodeId: number }[];
}

export interface HeapNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly selfSize: number;
  readonly children: readonly HeapNode[];
}

/** Which functions the CPU was in. Ends early when the signal aborts. */
export function cpuProfile(durationMs: number, signal: AbortSignal): Promise<Profile> {
  return profiled('cpu', async (post) => {
    const begunAt = Date.now();
    await post('Profiler.enable');
    await post('Profiler.setSamplingInterval', { interval: sampleIntervalUs });
    await post('Profiler.start');
    await sleep(systemClock, durationMs, signal);
    const { profile } = (await post('Profiler.stop')) as { profile: inspector.Profiler.Profile };
    return {
      sampleTypes: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      samples: cpuSamples(profile),
      periodType: { type: 'cpu', unit: 'nanoseconds' },
      period: sampleIntervalUs * 1000,
      begunAt,
      durationMs: (profile.endTime - profile.startTime) / 1000,
    };
  });
}

/** What was allocated in this time and is still in use, by where it was allocated. */
export const heapProfile = (durationMs: number, signal: AbortSignal): Promise<Profile> =>
  sampleHeap(durationMs, signal, ['inuse_objects', 'inuse_space'], {});

/** All that was allocated in this time, in use or not, by where it was allocated. */
export const allocationProfile = (durationMs: number, signal: AbortSignal): Promise<Profile> =>
  sampleHeap(durationMs, signal, ['alloc_objects', 'alloc_space'], {
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });

function sampleHeap(
  durationMs: number,
  signal: AbortSignal,
  [objects, space]: readonly [string, string],
  included: object,
): Promise<Profile> {
  return profiled('heap', async (post) => {
    const begunAt = Date.now();
    await post('HeapProfiler.enable');
    await post('HeapProfiler.startSampling', { samplingInterval: heapIntervalBytes, ...included });
    await sleep(systemClock, durationMs, signal);
    const { profile } = (await post('HeapProfiler.stopSampling')) as { profile: HeapProfile };
    return {
      sampleTypes: [
        { type: objects, unit: 'count' },
        { type: space, unit: 'bytes' },
      ],
      samples: heapSamples(profile),
      periodType: { type: 'space', unit: 'bytes' },
      period: heapIntervalBytes,
      begunAt,
      durationMs,
    };
  });
}

/**
 * What the runtime did in this time, as the trace event format that Perfetto and chrome://tracing show: Go's format of
 * traces is about goroutines.
 */
export function eventTrace(durationMs: number, signal: AbortSignal): Promise<string> {
  return profiled('trace', async (post, onEvents) => {
    const events: unknown[] = [];
    const complete = onEvents((batch) => events.push(...batch));
    await post('NodeTracing.start', { traceConfig: { includedCategories: ['node', 'v8'] } });
    await sleep(systemClock, durationMs, signal);
    await post('NodeTracing.stop');
    await complete;
    return JSON.stringify({ traceEvents: events });
  });
}

/** Not work: V8's names for the time without any, and for what all stacks begin with. */
const idle = '(idle)';
const root = '(root)';

export function* cpuSamples({
  nodes,
  samples = [],
  timeDeltas = [],
}: inspector.Profiler.Profile): Iterable<StackSample> {
  const parents = new Map<number, inspector.Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const counts = new Map<number, { count: number; us: number }>();
  samples.forEach((id, index) => {
    const sum = counts.get(id) ?? { count: 0, us: 0 };
    sum.count++;
    sum.us += Math.max(0, timeDeltas[index] ?? 0);
    counts.set(id, sum);
  });
  for (const node of nodes) {
    const sum = counts.get(node.id);
    if (sum === undefined || [idle, root].includes(node.callFrame.functionName)) continue;
    const stack: Frame[] = [];
    for (let at: typeof node | undefined = node; at !== undefined; at = parents.get(at.id))
      if (at.callFrame.functionName !== root) stack.push(at.callFrame);
    yield { stack, values: [sum.count, sum.us * 1000] };
  }
}

export function* heapSamples({ head, samples }: HeapProfile): Iterable<StackSample> {
  const counts = new Map<number, number>();
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  /** Not by recursion: stacks may be deep. */
  const left: { node: HeapNode; stack: readonly Frame[] }[] = [{ node: head, stack: [] }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, stack } = next;
    const own = node.callFrame.functionName === root ? stack : [node.callFrame, ...stack];
    for (const child of node.children) left.push({ node: child, stack: own });
    if (node.selfSize > 0) yield { stack: own, values: [counts.get(node.id) ?? 0, node.selfSize] };
  }
}
