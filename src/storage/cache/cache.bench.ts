/**
 * What the cache costs: 30,000 objects of 2.5 kB in 15 namespaces, on the embedded store in memory.
 *
 *     npx vitest bench --run src/storage/cache
 *
 * Memory is printed first when Node runs with `--expose-gc` (`NODE_OPTIONS=--expose-gc`).
 */
import { bench, describe } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { mapOfPairs, RecordKeys, RecordMap } from '../../machinery/small-map.ts';
import { createAttributesInterning } from '../attributes-interning.ts';
import { openEmbeddedStore } from '../embedded/open.ts';
import type { ObjectCodec, Selection, StoredObject } from '../objects.ts';
import { defaultWatchLimits, WatchQueue } from '../watch-queue.ts';
import { createWatchCache } from './watch-cache.ts';
import { Change } from './change.ts';
import { Watchers } from './watchers.ts';

const prefix = '/registry/pods/';
const count = 30_000;
const namespaces = 15;
const share = createAttributesInterning();
const fieldNames = new RecordKeys([
  'spec.nodeName',
  'status.phase',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.podIP',
]);

const keyOf = (index: number): string =>
  `${prefix}ns-${index % namespaces}/pod-${String(index).padStart(6, '0')}-abcde`;

/** A header line with what the attributes needs, then filler: opening one costs about what scanning protobuf does. */
function contentOf(index: number): Buffer {
  const bytes = Buffer.alloc(2_500, 'x');
  const fields = [
    `ns-${index % namespaces}`,
    `pod-${String(index).padStart(6, '0')}-abcde`,
    `app-${Math.floor(index / namespaces) % 20}`,
    `hash-${index % 300}`,
    `node-${index % 100}`,
    `10.0.${index >> 8}.${index & 255}`,
  ];
  bytes.write(`${fields.join('|')}\n`);
  return bytes;
}

const codec: ObjectCodec = {
  decode(key, value, revision) {
    const [namespace = '', name = '', app = '', hash = '', node = '', ip = ''] = value
      .toString('latin1', 0, value.indexOf(10))
      .split('|');
    const attributes = share(key, {
      namespace,
      name,
      labels: mapOfPairs(['app', app, 'pod-template-hash', hash, 'tier', 'backend']),
      fields: new RecordMap(fieldNames, [node, 'Running', 'Always', 'default-scheduler', 'default', ip]),
    });
    return { key, revision, bytes: value.subarray(0), attributes: attributes, representations: undefined };
  },
  encode: (_key, bytes) => bytes,
};

const store = await openEmbeddedStore();
for (let index = 0; index < count; index++) await store.create(keyOf(index), contentOf(index));
const before = heapUsed();
const cache = createWatchCache({ store, prefix, codec, indexedFields: ['spec.nodeName'] });
await cache.list({ version: { match: 'any' }, limit: 1 });
if (before !== undefined)
  process.stdout.write(`memory beside the values: ${Math.round((heapUsed()! - before) / count)} bytes per object\n`);

function heapUsed(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const any = { match: 'any' } as const;
const mostRecent = { match: 'mostRecent' } as const;
let round = 0;

describe('get', () => {
  bench('at any version', async () => {
    await cache.get(keyOf((round += 7_919) % count), any);
  });

  bench('16 at most recent, which share one question', async () => {
    const reads: Promise<unknown>[] = [];
    for (let index = 0; index < 16; index++) reads.push(cache.get(keyOf((round += 7_919) % count), mostRecent));
    await Promise.all(reads);
  });
});

describe('list', () => {
  const namespace = 'ns-3';
  const inNamespace: Selection = { namespace };
  const labelled: Selection = {
    namespace,
    matches: (attributes) => attributes.labels.get('app') === 'app-7',
    matchesKey: 'app=app-7',
  };
  const onNode: Selection = { fieldEquals: new Map([['spec.nodeName', 'node-42']]) };

  bench('2,000 objects of a namespace', async () => {
    await cache.list({ version: any, selection: inNamespace });
  });

  bench('100 of 2,000 by label', async () => {
    await cache.list({ version: any, selection: labelled });
  });

  bench('a page of 500 of 2,000', async () => {
    await cache.list({ version: any, selection: inNamespace, limit: 500 });
  });

  bench('300 of 30,000 by an indexed field', async () => {
    await cache.list({ version: any, selection: onNode });
  });

  bench('all 30,000', async () => {
    await cache.list({ version: any });
  });
});

describe('delivery of one event', () => {
  for (const watchers of [1, 200]) {
    const registry = new Watchers({
      keys: { prefix, namespaced: true },
      indexedFields: ['spec.nodeName'],
      log: silentLogger,
    });
    const revision = 1;
    for (let index = 0; index < watchers; index++) addWatcher(registry, { namespace: 'ns-1' });
    // Others that select something else: they cost nothing.
    for (let index = 0; index < 5_000; index++)
      addWatcher(registry, { fieldEquals: new Map([['spec.nodeName', `node-${index + 1_000}`]]) });
    const object = open(1, revision + 1);
    bench(`to ${watchers} watchers of a namespace, taken by each`, () => {
      registry.deliver([new Change({ key: object.key, revision: revision + 1, object, previous: object, at: 0 })]);
    });
  }
});

function open(index: number, revision: number): StoredObject {
  return codec.decode(keyOf(index), contentOf(index), revision);
}

function addWatcher(registry: Watchers, selection: Selection): void {
  const queue: WatchQueue = new WatchQueue({
    onReady: () => void queue.take(),
    limits: defaultWatchLimits,
    position: () => 1,
    onClose: () => undefined,
  });
  queue.begin(1);
  queue.take();
  registry.add(queue, selection, 1);
}
