/** The load, in the order in which its phases run: each stands on what the earlier ones have left behind. */
import type { JsonObject } from '../src/machinery/value.ts';
import { kinds } from './content.ts';
import type { Answer } from './http-client.ts';
import { until } from './load.ts';
import type { Load, LoadSizes } from './load.ts';
import { runWorkers } from './measure.ts';
import type { Measured } from './measure.ts';
import { apps, benchPod, podName } from './pod.ts';
import { watchFanOut } from './watch-fan-out.ts';

export type Phase = (load: Load, sizes: LoadSizes) => Promise<Measured>;

const strategicPatch = 'application/strategic-merge-patch+json';

export const phases: Readonly<Record<string, Phase>> = {
  create: (load, { objects, concurrency }) => {
    const bodies = Array.from({ length: objects }, (_, i) => load.content.encode(kinds.pod, benchPod(i)));
    return runWorkers({ ...load, operations: objects, concurrency }, (i) => load.send('POST', 'pods', bodies[i]!));
  },

  get: (load, { objects, gets, concurrency }) => {
    const names = Array.from({ length: gets }, () => podName(Math.floor(Math.random() * objects)));
    return runWorkers({ ...load, operations: gets, concurrency }, (i) => load.get(`pods/${names[i]!}`));
  },

  'list-all': async (load, { objects, lists }) => {
    const query = () => 'resourceVersion=0';
    // A server may answer this from a cache that is a little behind.
    await until(
      `all ${objects} pods are listed`,
      async () => countItems(load, await load.get(`pods?${query()}`)) >= objects,
      load.signal,
    );
    return list(load, { operations: lists, concurrency: 2, atLeast: objects, query });
  },

  'list-500': (load, { objects, lists }) =>
    list(load, { operations: lists * 5, concurrency: 2, atLeast: Math.min(500, objects), query: () => 'limit=500' }),

  'list-label': (load, { objects, lists }) =>
    list(load, {
      operations: lists * 5,
      concurrency: 4,
      atLeast: Math.floor(objects / apps),
      query: (i) => `resourceVersion=0&labelSelector=app%3Dapp-${i % apps}`,
    }),

  update: (load, { objects, concurrency }) =>
    runWorkers({ ...load, operations: objects, concurrency }, async (i) => {
      const resource = `pods/${podName(i)}`;
      const pod = await load.read(kinds.pod, resource);
      ((pod['metadata'] as JsonObject)['labels'] as JsonObject)['updated'] = 'yes';
      await load.send('PUT', resource, load.content.reencode(kinds.pod, pod));
    }),

  patch: (load, { objects, concurrency }) =>
    runWorkers({ ...load, operations: objects, concurrency }, (i) => {
      const condition = { type: 'Ready', status: 'True', reason: `Number${i}` };
      return load.send(
        'PATCH',
        `pods/${podName(i)}/status`,
        Buffer.from(JSON.stringify({ status: { phase: 'Running', conditions: [condition] } })),
        strategicPatch,
      );
    }),

  watch: watchFanOut,

  delete: (load, { objects, concurrency }) => {
    const now = load.content.encode(kinds.deleteOptions, { gracePeriodSeconds: 0 });
    return runWorkers({ ...load, operations: objects, concurrency }, (i) =>
      load.send('DELETE', `pods/${podName(i)}`, now),
    );
  },
};

/** The others need the pods that `create` makes, and `delete` takes them away. */
export const alwaysRun: readonly string[] = ['create', 'delete'];

interface Lists {
  readonly operations: number;
  readonly concurrency: number;
  readonly atLeast: number;
  readonly query: (i: number) => string;
}

/**
 * Reading every answer would make the driver the slower side, so the shortest one is read, after the clock has stopped.
 */
function list(load: Load, { operations, concurrency, atLeast, query }: Lists): Promise<Measured> {
  let shortest: Answer | undefined;
  const listOnce = async (i: number): Promise<void> => {
    const answer = await load.get(`pods?${query(i)}`);
    if (shortest === undefined || answer.length < shortest.length) shortest = answer;
  };
  return runWorkers({ ...load, operations, concurrency }, listOnce, () => {
    const count = shortest === undefined ? 0 : countItems(load, shortest);
    if (count < atLeast) throw new Error(`a list has ${count} items instead of ${atLeast}`);
  });
}

function countItems(load: Load, answer: Answer): number {
  const { items } = load.content.decode(kinds.podList, answer.body());
  return Array.isArray(items) ? items.length : 0;
}
