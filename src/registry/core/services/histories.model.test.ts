/**
 * Random histories: three servers on one store create, change and delete services in small ranges, while each repairs
 * the ranges all the time. Calls of the store overtake each other, and answers get lost. Then the history of the store
 * is read: at no revision do two services hold one value, or does a service hold a value that is not taken.
 */
import { describe, expect, test } from 'vitest';
import { codecs } from '../../../api/codecs.ts';
import type { RangeAllocation, Service, ServiceSpec } from '../../../api/gen/types/core-v1.ts';
import { readEnvelope } from '../../../machinery/codec/envelope.ts';
import { isStatusError } from '../../../machinery/status.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { isStorageError } from '../../../storage/storage-error.ts';
import type { KeyEvent, Store } from '../../../storage/interface.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../../../test/support/random.ts';
import { AllocationBitmap } from './allocation/bitmap.ts';
import { createIpRange, createPortRange } from './allocation/ranges.ts';
import { ServiceServer } from './testing/service-server.ts';
import { FaultyStore } from './testing/faulty-store.ts';

const clusterIpRanges = ['10.0.0.0/28', 'fd00::/124'];
const nodePortRange = { first: 30_000, last: 30_007 };
const rangeOf = {
  serviceips: createIpRange(clusterIpRanges[0]!),
  secondaryserviceips: createIpRange(clusterIpRanges[1]!),
  servicenodeports: createPortRange(nodePortRange),
};
type RangeName = keyof typeof rangeOf;

const types: readonly Partial<ServiceSpec>[] = [
  { type: 'ClusterIP' },
  { type: 'ClusterIP', clusterIP: '10.0.0.3' },
  { type: 'NodePort' },
  { type: 'ExternalName', externalName: 'a.b' },
  { type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack' },
  { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
  { type: 'NodePort', ports: [{ port: 80, nodePort: 30_003 }] },
];
const names = Array.from({ length: 10 }, (_, i) => `s${i}`);

async function act(server: ServiceServer, random: RandomSource): Promise<void> {
  const [name, spec] = [pick(random, names), pick(random, types)];
  const work = async (): Promise<unknown> => {
    switch (randomInt(random, 6)) {
      case 0:
        return server.remove(name);
      case 1:
        return server.change(name, (service) => void Object.assign(service.spec, structuredClone(spec)));
      case 2:
        return server.put({ name, ...spec });
      default:
        return server.create({ name, ...structuredClone(spec) });
    }
  };
  await work().catch(ignoreRefusal);
}

/** Names are taken or missing, ranges are full, answers are lost. */
function ignoreRefusal(error: unknown): void {
  if (!isStatusError(error) && !isStorageError(error)) throw error;
}

/** What the store shows at one revision after the other. */
class WritePipeline {
  readonly #held = new Map<string, readonly string[]>();
  readonly #taken = new Map<RangeName, ReadonlySet<string>>();
  /** How often a repair has released something, or made a range anew. */
  released = 0;

  /** What is wrong behind this change. */
  see({ type, key, value }: KeyEvent): string[] {
    const range = /^\/registry\/ranges\/(\w+)$/.exec(key)?.[1] as RangeName | undefined;
    if (range !== undefined) this.#taken.set(range, takenOf(range, value));
    else if (key.startsWith('/registry/range-releases/')) this.released++;
    else if (key.startsWith('/registry/services/specs/')) {
      if (type === 'put') this.#held.set(key, valuesOf(decodeAs<Service>('core/v1.Service', value)));
      else this.#held.delete(key);
    }
    return this.#mistakes();
  }

  #mistakes(): string[] {
    const taken = new Set([...this.#taken.values()].flatMap((values) => [...values]));
    const held = [...this.#held.values()].flat();
    return held.flatMap((value, i) => [
      ...(held.indexOf(value) < i ? [`${value} is held twice`] : []),
      ...(taken.has(value) ? [] : [`${value} is held and not taken`]),
    ]);
  }

  /** What is taken and held by no service. */
  leaked(): string[] {
    const held = new Set([...this.#held.values()].flat());
    return [...this.#taken.values()].flatMap((values) => [...values].filter((value) => !held.has(value)));
  }
}

const decodeAs = <T>(typeId: string, value: Buffer): T => codecs.of(typeId).decode(readEnvelope(value).raw) as T;

function valuesOf({ spec: { type, clusterIPs = [], ports = [], healthCheckNodePort } }: Service): string[] {
  if (type === 'ExternalName') return [];
  const values = [...clusterIPs, ...new Set(ports.map(({ nodePort }) => nodePort)), healthCheckNodePort];
  return values.flatMap((value) => (value === undefined || value === 0 ? [] : [String(value)]));
}

function takenOf(range: RangeName, value: Buffer): ReadonlySet<string> {
  const { data = '' } = decodeAs<RangeAllocation>('core/v1.RangeAllocation', value);
  const numbers = new AllocationBitmap({ size: 0, staticSize: 0 }, Buffer.from(data, 'base64')).taken();
  return new Set([...numbers].map((number) => String(rangeOf[range].valueOf(number))));
}

async function history(store: Store): Promise<KeyEvent[]> {
  const [all, abort, end] = [[] as KeyEvent[], new AbortController(), await store.currentRevision()];
  for await (const { revision, events } of store.watch('/registry/', { after: 1, signal: abort.signal })) {
    all.push(...events);
    if (revision >= end) abort.abort();
  }
  return all;
}

/** Three servers with two clients each. */
async function play(store: Store, random: RandomSource): Promise<void> {
  const ways = [0, 1, 2].map(() => new FaultyStore(store, random));
  const servers = ways.map((way) => new ServiceServer({ store: way.store, clusterIpRanges, nodePortRange, random }));
  let isOver = false;
  const repairs = servers.map(async ({ ranges }) => {
    while (!isOver) await ranges.repair().catch(ignoreRefusal);
  });
  const clients = [...servers, ...servers].map(async (server) => {
    for (let i = 0; i < 12; i++) await act(server, random);
  });
  const results = await Promise.allSettled(clients);
  isOver = true;
  results.push(...(await Promise.allSettled(repairs)));
  await Promise.all(ways.map((way) => way.settled()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

describe('services of several servers, with repairs at any time', () => {
  const seeds = [...Array.from({ length: 20 }, (_, i) => 1 + 7_919 * i), Math.floor(Math.random() * 2 ** 31)];

  let releases = 0;

  test.each(seeds)(
    'Services of several servers hold each value once, and what they hold is taken: seed %i',
    async (seed) => {
      await using store = await openEmbeddedStore();
      await play(store, randomSource(seed));
      // What has leaked is found when nothing else happens any more.
      const last = new ServiceServer({ store, clusterIpRanges, nodePortRange });
      for (let round = 0; round < 3; round++) await last.ranges.repair();
      const pipeline = new WritePipeline();
      for (const event of await history(store)) {
        const { modRevision } = event;
        expect([modRevision, pipeline.see(event)]).toEqual([modRevision, []]);
      }
      expect(pipeline.leaked()).toEqual([]);
      releases += pipeline.released;
    },
  );

  test('Services of several servers have values that the repairs have released, beyond those of the beginning', () => {
    expect(releases).toBeGreaterThan(seeds.length * Object.keys(rangeOf).length);
  });
});
