/** Two servers on one store never give out the same address or port. Run on the embedded store and on etcd. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { codecs } from '../../../../api/codecs.ts';
import type { RangeAllocation, Service, ServiceSpec } from '../../../../api/gen/types/core-v1.ts';
import { readEnvelope } from '../../../../machinery/codec/envelope.ts';
import { isStatusError } from '../../../../machinery/status.ts';
import type { Store } from '../../../../storage/interface.ts';
import { AllocationBitmap } from '../allocation/bitmap.ts';
import { ServiceServer, type ServiceServerOptions } from './service-server.ts';

/** Two ways to the same data; the same object twice where one is enough. */
export interface SharedStores extends AsyncDisposable {
  readonly stores: readonly [Store, Store];
}

export interface SharedRangesSuite {
  readonly name: string;
  readonly open: () => Promise<SharedStores>;
}

type Settings = Omit<ServiceServerOptions, 'store'>;

/** The numbers that are allocated in the store, by any server. */
export async function takenNumbers(
  store: Store,
  name: 'serviceips' | 'secondaryserviceips' | 'servicenodeports',
): Promise<number[]> {
  const { kv } = await store.get(`/registry/ranges/${name}`);
  const { data = '' } = codecs
    .of('core/v1.RangeAllocation')
    .decode(readEnvelope(kv!.value).raw) as unknown as RangeAllocation;
  return [...new AllocationBitmap({ size: 0, staticSize: 0 }, Buffer.from(data, 'base64')).taken()];
}

const succeeded = <T>(results: readonly PromiseSettledResult<T>[]): T[] =>
  results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

const refusals = (results: readonly PromiseSettledResult<unknown>[]): string[] =>
  results.flatMap((result) =>
    result.status === 'fulfilled'
      ? []
      : [isStatusError(result.reason) ? `${result.reason.code} ${result.reason.message}` : String(result.reason)],
  );

const ipsOf = (services: readonly Service[]): string[] => services.flatMap(({ spec }) => spec.clusterIPs ?? []);
const hostNumbers = (ips: readonly string[]): number[] =>
  ips.map((ip) => Number(ip.split('.')[3]) - 1).sort((a, b) => a - b);

export function describeSharedRanges({ name, open }: SharedRangesSuite): void {
  describe(`ranges of two servers on one store: ${name}`, () => {
    const withServers = async (
      settings: Settings,
      body: (servers: readonly [ServiceServer, ServiceServer], store: Store) => Promise<void>,
    ): Promise<void> => {
      await using shared = await open();
      const [first, second] = shared.stores;
      await body(
        [new ServiceServer({ store: first, ...settings }), new ServiceServer({ store: second, ...settings })],
        first,
      );
    };
    const both = <T>(
      servers: readonly ServiceServer[],
      count: number,
      work: (server: ServiceServer, id: string) => Promise<T>,
    ): Promise<PromiseSettledResult<T>[]> =>
      Promise.allSettled(
        servers.flatMap((server, s) => Array.from({ length: count }, (_, i) => work(server, `${'ab'[s]!}${i}`))),
      );

    /** Several writers on each server create services until the range is full. Returns what they got. */
    const fill = async (
      servers: readonly ServiceServer[],
      spec: Partial<ServiceSpec>,
      refusal: string,
    ): Promise<Service[]> => {
      const writers = await both(servers, 3, async (server, id) => {
        const services: Service[] = [];
        for (let i = 0; ; i++) {
          const results = await Promise.allSettled([server.create({ name: `s-${id}-${i}`, ...spec })]);
          services.push(...succeeded(results));
          if (refusals(results).length === 0) continue;
          expect(refusals(results)).toEqual([refusal]);
          return services;
        }
      });
      expect(refusals(writers)).toEqual([]);
      return succeeded(writers).flat();
    };

    test('Every address of the range is given once, then the range is full', async () => {
      await withServers({ clusterIpRanges: ['10.0.0.0/26'] }, async (servers, store) => {
        const services = await fill(
          servers,
          {},
          '500 Internal error occurred: failed to allocate a serviceIP: range is full',
        );
        expect(hostNumbers(ipsOf(services))).toEqual(Array.from({ length: 62 }, (_, i) => i));
        expect(await takenNumbers(store, 'serviceips')).toHaveLength(62);
      });
    });

    test('Every node port is given once', async () => {
      await withServers({ nodePortRange: { first: 30_000, last: 30_039 } }, async (servers) => {
        const services = await fill(
          servers,
          { type: 'NodePort' },
          '500 Internal error occurred: failed to allocate a nodePort: range is full',
        );
        expect(services.map(({ spec }) => spec.ports![0]!.nodePort!).sort()).toEqual(
          Array.from({ length: 40 }, (_, i) => 30_000 + i),
        );
      });
    });

    test('An address and a port that several ask for go to one of them', async () => {
      await withServers({}, async (servers) => {
        const asked = await both(servers, 5, (server, id) =>
          server.create({ name: `ip-${id}`, clusterIP: '10.0.0.77' }),
        );
        expect(succeeded(asked)).toHaveLength(1);
        expect(new Set(refusals(asked).map((text) => text.replace(/ip-\w+/, 'x')))).toEqual(
          new Set([
            '422 Service "x" is invalid: spec.clusterIPs: Invalid value: []string{"10.0.0.77"}: failed to ' +
              'allocate IP 10.0.0.77: provided IP is already allocated',
          ]),
        );
        const ports = await both(servers, 5, (server, id) =>
          server.create({ name: `port-${id}`, type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] }),
        );
        expect(succeeded(ports)).toHaveLength(1);
        expect(new Set(refusals(ports).map((text) => text.replace(/port-\w+/, 'x')))).toEqual(
          new Set([
            '422 Service "x" is invalid: spec.ports[0].nodePort: Invalid value: 31000: provided port ' +
              'is already allocated',
          ]),
        );
      });
    });

    test('A service that loses the race for a name releases what it had allocated', async () => {
      await withServers({}, async (servers, store) => {
        const results = await both(servers, 4, (server) => server.create({ name: 'same', type: 'NodePort' }));
        const [service, ...others] = succeeded(results);
        expect(others).toEqual([]);
        expect(await takenNumbers(store, 'serviceips')).toEqual(hostNumbers([service!.spec.clusterIP!]));
        expect(await takenNumbers(store, 'servicenodeports')).toEqual([service!.spec.ports![0]!.nodePort! - 30_000]);
      });
    });

    test('Changes of one service from two servers leave what the service holds', async () => {
      await withServers({}, async (servers, store) => {
        await servers[0].create({ name: 's', type: 'NodePort' });
        const types = ['ClusterIP', 'ExternalName', 'NodePort', 'LoadBalancer'] as const;
        await both(servers, 12, (server, id) =>
          server.change('s', ({ spec }) =>
            Object.assign(spec, { type: types[Number(id.slice(1)) % 4]!, externalName: 'a.b', nodePort: undefined }),
          ),
        );
        const { spec } = await servers[0].get('s');
        expect(await takenNumbers(store, 'serviceips')).toEqual(hostNumbers(spec.clusterIPs ?? []));
        expect(await takenNumbers(store, 'servicenodeports')).toEqual(
          (spec.ports ?? []).flatMap(({ nodePort }) => (nodePort === undefined ? [] : [nodePort - 30_000])),
        );
      });
    });

    test('A repair in the middle of creations and deletions takes nothing away and gives nothing twice', async () => {
      await withServers({ clusterIpRanges: ['10.0.0.0/26'] }, async (servers, store) => {
        let done = false;
        const repairs = servers.map(async ({ ranges }) => {
          while (!done) {
            await ranges.repair();
            await setImmediate();
          }
        });
        try {
          for (let round = 0; round < 4; round++) {
            const results = await both(servers, 12, (server, id) => server.create({ name: `s-${round}-${id}` }));
            const ips = ipsOf(succeeded(results));
            expect([refusals(results), new Set(ips).size]).toEqual([[], ips.length]);
            await both(servers, 10, (server, id) => server.remove(`s-${round}-${id}`));
          }
        } finally {
          done = true;
          await Promise.allSettled(repairs);
        }
        await Promise.all(repairs);
        const { objects } = await servers[0].services.list({ version: { match: 'mostRecent' } });
        const held = hostNumbers(ipsOf(objects.map((stored) => servers[0].services.decode(stored) as Service)));
        expect(held).toHaveLength(4 * 4);
        const taken = await takenNumbers(store, 'serviceips');
        // A repair may have kept, for a while, what was taken for a service that it did not see yet.
        expect(held.filter((number) => !taken.includes(number))).toEqual([]);
        for (let round = 0; round < 3; round++) await servers[0].ranges.repair();
        expect(await takenNumbers(store, 'serviceips')).toEqual(held);
      });
    });
  });
}
