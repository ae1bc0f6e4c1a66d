/** Profiles of this process by V8's own profilers, for a time that the caller waits. */
import type inspector from 'node:inspector';
import { sleep, systemClock } from '../../base/clock.ts';
import { encodeProfile, type Frame, type StackSample } from './pprof.ts';

/** Another profile of the same kind is being made. */
export class ProfilingInUse extends Error {
  override readonly name = 'ProfilingInUse';
}

const sampleIntervalUs = 1000;
/** As Go's: a sample for each so many bytes allocated. */
const heapIntervalBytes = 512 * 1024;

type Post = (method: string, parameters?: object) => Promise<unknown>;

const inUse = new Set<string>();

/** Only one at a time: V8 has one profiler of a kind. */
async function profiled<T>(kind: string, work: (post: Post) => Promise<T>): Promise<T> {
  if (inUse.has(kind)) throw new ProfilingInUse(`${kind} profiling already in use`);
  inUse.add(kind);
  // Loaded at first use: most processes are never profiled.
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  try {
    session.connect();
    return await work(session.post.bind(session) as Post);
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
export function cpuProfile(durationMs: number, signal: AbortSignal): Promise<Buffer> {
  return profiled('cpu', async (post) => {
    const begunAt = Date.now();
    await post('Profiler.enable');
    await post('Profiler.setSamplingInterval', { interval: sampleIntervalUs });
    await post('Profiler.start');
    await sleep(systemClock, durationMs, signal);
    const { profile } = (await post('Profiler.stop')) as { profile: inspector.Profiler.Profile };
    return encodeProfile({
      sampleTypes: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      samples: cpuSamples(profile),
      periodType: { type: 'cpu', unit: 'nanoseconds' },
      period: sampleIntervalUs * 1000,
      begunAt,
      durationMs: (profile.endTime - profile.startTime) / 1000,
    });
  });
}

/** What was allocated in this time and is still in use, by where it was allocated. */
export function heapProfile(durationMs: number, signal: AbortSignal): Promise<Buffer> {
  return profiled('heap', async (post) => {
    const begunAt = Date.now();
    await post('HeapProfiler.enable');
    await post('HeapProfiler.startSampling', { samplingInterval: heapIntervalBytes });
    await sleep(systemClock, durationMs, signal);
    const { profile } = (await post('HeapProfiler.stopSampling')) as { profile: HeapProfile };
    return encodeProfile({
      sampleTypes: [
        { type: 'inuse_objects', unit: 'count' },
        { type: 'inuse_space', unit: 'bytes' },
      ],
      samples: heapSamples(profile),
      periodType: { type: 'space', unit: 'bytes' },
      period: heapIntervalBytes,
      begunAt,
      durationMs,
    });
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
