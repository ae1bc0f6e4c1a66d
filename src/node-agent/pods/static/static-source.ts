/** Keeps the pods of files or of an address: asked again and again, each answer is compared with the one before. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { PodSink, PodSource } from '../sources/pod-source.ts';
import { configSeen } from './static-pod.ts';

export interface StaticSourceOptions {
  /** All pods, as they are now. Rejects when that cannot be said: everything stays as it is. */
  readonly read: (signal: AbortSignal) => Promise<readonly Pod[]>;
  /** Calls back after changes, when the place can tell. @returns what ends that */
  readonly watch?: (onChange: () => void) => () => void;
  readonly periodMs: number;
  readonly what: string;
  readonly sink: PodSink;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createStaticSource(options: StaticSourceOptions): PodSource {
  const { sink, clock, log, read, periodMs, what } = options;
  const stopped = new AbortController();
  let known = new Map<string, Pod>();
  let hasSynced = false;
  let wake: () => void = () => undefined;
  let running: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const pods = new Map((await read(stopped.signal)).map((pod): [string, Pod] => [pod.metadata.uid ?? '', pod]));
    hasSynced = true;
    for (const uid of known.keys()) if (!pods.has(uid)) sink.remove(uid);
    for (const [uid, pod] of pods) {
      const before = known.get(uid);
      if (before === undefined || contentOf(before) !== contentOf(pod)) sink.set(pod);
      else pods.set(uid, before);
    }
    known = pods;
  };
  const run = async (): Promise<void> => {
    const unwatch = options.watch?.(() => wake());
    while (!stopped.signal.aborted) {
      await look().catch((error: unknown) => {
        if (!stopped.signal.aborted) log.warn({ err: error, from: what }, 'static pods could not be read');
      });
      const woken = new AbortController();
      wake = () => woken.abort();
      await sleep(clock, periodMs, AbortSignal.any([stopped.signal, woken.signal]));
    }
    unwatch?.();
  };
  return {
    get hasSynced() {
      return hasSynced;
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** Without the time at which it was seen. */
const contentOf = ({ metadata, spec }: Pod): string =>
  JSON.stringify(
    [{ ...metadata, annotations: { ...metadata.annotations, [configSeen]: '' } }, spec],
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
