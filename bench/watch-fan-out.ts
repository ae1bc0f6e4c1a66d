/**
 * Many watches of one collection, and objects created in it: an operation is the delivery of one event to one watch,
 * and its latency the time from sending the create request to reading the event.
 *
 * Every watch must get every event once. Each object carries its number as text, which is found in the bytes of an
 * event in any encoding: decoding events would cost the driver more than sending them costs the server.
 */
import type { ClientHttp2Stream } from 'node:http2';
import type { JsonObject } from '../src/machinery/value.ts';
import { kinds } from './content.ts';
import type { Load, LoadSizes } from './load.ts';
import { Failures, Meter, runWorkers } from './measure.ts';
import type { Measured } from './measure.ts';

const writers = 4;
const deadlineMs = 120_000;
const marker = 'event-number=';
const markerLength = marker.length;
const digits = 7;

export async function watchFanOut(load: Load, { watchers, events }: LoadSizes): Promise<Measured> {
  const { metadata } = await load.read(kinds.configMapList, 'configmaps');
  const from = (metadata as JsonObject)['resourceVersion'] as string;
  const deliveries = new Deliveries(watchers * events);
  const failures = new Failures();
  const watches: Watch[] = [];
  try {
    for (let i = 0; i < watchers; i++) watches.push(await openWatch(load, from, events, deliveries));
    const finished = Promise.all(watches.map((watch) => watch.finished.catch((error: unknown) => failures.add(error))));
    const timer = setTimeout(() => watches.forEach((watch) => watch.stream.close()), deadlineMs);
    const meter = new Meter(load.pids);
    const created = await runWorkers({ ...load, operations: events, concurrency: writers }, (i) => {
      const body = load.content.encode(kinds.configMap, eventObject(i, from));
      deliveries.sentAt[i] = performance.now();
      return load.send('POST', 'configmaps', body);
    });
    // What was not written cannot arrive.
    if (created.errors > 0) watches.forEach((watch) => watch.stream.close());
    await finished;
    const measured = meter.stop();
    clearTimeout(timer);
    load.signal.throwIfAborted();
    if (created.firstError !== undefined) failures.add(created.firstError);
    return measured(deliveries.latenciesMs(), failures);
  } finally {
    for (const { stream } of watches) stream.close();
  }
}

/** @param from sets the objects of one round apart from those of the round before */
const eventObject = (i: number, from: string): JsonObject => ({
  metadata: { name: `event-${from}-${String(i).padStart(digits, '0')}` },
  data: { number: `${marker}${String(i).padStart(digits, '0')}`, payload: 'x'.repeat(512) },
});

class Deliveries {
  /** `performance.now()` per event. */
  readonly sentAt: number[] = [];
  readonly #latencies: Float64Array;
  #count = 0;

  constructor(expected: number) {
    this.#latencies = new Float64Array(expected);
  }

  add(event: number): void {
    this.#latencies[this.#count++] = performance.now() - this.sentAt[event]!;
  }

  latenciesMs(): Float64Array {
    return this.#latencies.subarray(0, this.#count);
  }
}

interface Watch {
  readonly stream: ClientHttp2Stream;
  /** All events are there. Rejects when the watch ends before, or brings one twice. */
  readonly finished: Promise<void>;
}

async function openWatch(load: Load, resourceVersion: string, events: number, deliveries: Deliveries): Promise<Watch> {
  const stream = await load.client.stream({
    method: 'GET',
    path: load.path(`configmaps?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=600`),
  });
  const finished = new Promise<void>((resolve, reject) => {
    const seen = new Uint8Array(events);
    let missing = events;
    const onEvent = (event: Buffer): void => {
      const number = numberIn(event);
      if (number === undefined) return; // made by another client, such as a controller that fills new namespaces
      if (seen[number] === 1) return reject(new Error(`event ${number} came twice`));
      seen[number] = 1;
      deliveries.add(number);
      if (--missing === 0) resolve();
    };
    stream.on('data', load.content.readEvents(onEvent));
    stream.on('close', () => reject(new Error(`a watch ended with ${missing} of ${events} events missing`)));
  });
  finished.catch(() => undefined); // looked at once the phase is over
  return { stream, finished };
}

function numberIn(event: Buffer): number | undefined {
  const at = event.indexOf(marker);
  return at < 0 ? undefined : Number(event.latin1Slice(at + markerLength, at + markerLength + digits));
}
