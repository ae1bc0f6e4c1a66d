/**
 * What a repair and the writes of services can do to each other, one order of calls at a time: calls of the store are
 * held where it matters, and let go when the other side is done. Run on the embedded store and on etcd.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../../../api/gen/types/core-v1.ts';
import type { Store } from '../../../../storage/interface.ts';
import { ControlledStore } from '../../../../storage/testing/controlled-store.ts';
import { ServiceServer } from './service-server.ts';
import { type SharedRangesSuite, type SharedStores, takenNumbers } from './shared-ranges-suite.ts';

const ranges = { first: '10.0.0.0/26', second: 'fd00::/120', ports: { first: 30_000, last: 30_099 } };
/** A service that holds something of every range: two cluster IPs, a node port and a port for health checks. */
const whole: Partial<ServiceSpec> = {
  type: 'LoadBalancer',
  externalTrafficPolicy: 'Local',
  ipFamilyPolicy: 'RequireDualStack',
};

const keyOf = (name: string): string => `/registry/services/specs/default/${name}`;
const rangeKey = '/registry/ranges/';

function valuesOf({ spec: { clusterIPs = [], ports = [], healthCheckNodePort } }: Service): string[] {
  const values = [...clusterIPs, ...ports.map(({ nodePort }) => nodePort), healthCheckNodePort];
  return values.flatMap((value) => (value === undefined ? [] : [String(value)]));
}

/** The values that are taken in the store, whatever holds them. */
async function takenValues(store: Store): Promise<string[]> {
  return [
    ...(await takenNumbers(store, 'serviceips')).map((number) => `10.0.0.${number + 1}`),
    ...(await takenNumbers(store, 'secondaryserviceips')).map((number) => `fd00::${(number + 1).toString(16)}`),
    ...(await takenNumbers(store, 'servicenodeports')).map((number) => String(ranges.ports.first + number)),
  ];
}

interface Request {
  readonly name: string;
  readonly spec: (values: readonly string[]) => Partial<ServiceSpec>;
}

const asksForPort = (port = ''): Partial<ServiceSpec> => ({
  type: 'NodePort',
  ports: [{ port: 80, nodePort: Number(port) }],
});

/** What services ask for that want one of these values, by what it is, or all of them. */
const requests: readonly Request[] = [
  { name: 'the cluster IP', spec: ([ip]) => ({ clusterIP: ip! }) },
  { name: 'the cluster IP of the second family', spec: ([, ip]) => ({ clusterIP: ip! }) },
  { name: 'the first of the ports', spec: ([, , port]) => asksForPort(port) },
  { name: 'the second of the ports', spec: ([, , , port]) => asksForPort(port) },
  {
    name: 'all of it',
    spec: ([first, second, port, health]) => ({
      ...asksForPort(port),
      ...whole,
      clusterIP: first!,
      clusterIPs: [first!, second!],
      healthCheckNodePort: Number(health),
    }),
  },
];
const all = requests.at(-1)!.spec;

export function describeInterleavings({ name, open }: SharedRangesSuite): void {
  describe(`repairs between the steps of writes: ${name}`, () => {
    let shared: SharedStores;
    /** Where the calls of the first server are held. */
    let store: ControlledStore;
    let writer: ServiceServer;
    let otherStore: ControlledStore;
    let other: ServiceServer;
    const serverOn = (on: Store): ServiceServer =>
      new ServiceServer({ store: on, clusterIpRanges: [ranges.first, ranges.second], nodePortRange: ranges.ports });
    beforeEach(async () => {
      shared = await open();
      [store, otherStore] = [new ControlledStore(shared.stores[0]), new ControlledStore(shared.stores[1])];
      [writer, other] = [serverOn(store), serverOn(otherStore)];
      await other.ranges.repair();
    });
    afterEach(() => shared[Symbol.asyncDispose]());

    const repairUntilReleased = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) await other.ranges.repair();
      expect(await takenValues(otherStore)).toEqual([]);
    };

    /** What all services hold: each value once, and taken. */
    const expectSound = async (): Promise<void> => {
      const { objects } = await other.services.list({ version: { match: 'mostRecent' } });
      const held = objects.flatMap((stored) => valuesOf(other.services.decode(stored) as Service));
      expect(held.toSorted()).toEqual([...new Set(held)].toSorted());
      expect((await takenValues(otherStore)).toSorted()).toEqual(held.toSorted());
    };

    test.each(requests)('A creation that loses $name before it is written gets another', async ({ spec }) => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', ...whole });
      await write.reached;
      const values = await takenValues(store);
      await repairUntilReleased();
      await other.create({ name: 'b', ...spec(values) });
      write.release();
      const created = await creation;
      expect(valuesOf(created)).toHaveLength(4);
      await expectSound();
    });

    test('A creation that asks for an address that it has lost is refused', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', clusterIP: '10.0.0.20' });
      await write.reached;
      await repairUntilReleased();
      await other.create({ name: 'b', clusterIP: '10.0.0.20' });
      write.release();
      await expect(creation).rejects.toThrow('failed to allocate IP 10.0.0.20: provided IP is already allocated');
      await expectSound();
    });

    test('A creation that asks for an address that was released in between has it', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', clusterIP: '10.0.0.20' });
      await write.reached;
      await repairUntilReleased();
      write.release();
      expect(valuesOf(await creation)).toEqual(['10.0.0.20']);
      await expectSound();
    });

    test('A creation goes on when only the values of others were released', async () => {
      const [first, second] = [store.holdNext('create', keyOf('a')), store.holdNext('create', keyOf('b'))];
      const leaked = writer.create({ name: 'a', clusterIP: '10.0.0.20' });
      await first.reached;
      for (let round = 0; round < 2; round++) await other.ranges.repair();
      const creation = writer.create({ name: 'b', clusterIP: '10.0.0.30' });
      await second.reached;
      await other.ranges.repair();
      expect(await takenValues(store)).toEqual(['10.0.0.30']);
      const before = store.calls('update');
      second.release();
      expect(valuesOf(await creation)).toEqual(['10.0.0.30']);
      expect(store.calls('update')).toBe(before);
      first.release();
      expect(valuesOf(await leaked)).toEqual(['10.0.0.20']);
      await expectSound();
    });

    test('A service that is written after the repair has looked keeps what it holds', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', ...whole });
      await write.reached;
      for (let round = 0; round < 2; round++) await other.ranges.repair();
      for (const range of ['serviceips', 'secondaryserviceips', 'servicenodeports']) {
        const release = otherStore.holdNext('update', `${rangeKey}${range}`);
        if (range === 'serviceips') {
          const repair = other.ranges.repair();
          await release.reached;
          write.release();
          await creation;
          release.release();
          await repair;
        } else release.release();
      }
      await expectSound();
    });

    test.each(requests)('A deletion does not give back $name that another service has by then', async ({ spec }) => {
      const values = valuesOf(await writer.create({ name: 'a', ...whole }));
      const release = store.holdNext('update', rangeKey);
      const deletion = writer.remove('a');
      await release.reached;
      await repairUntilReleased();
      await other.create({ name: 'b', ...spec(values) });
      release.release();
      await deletion;
      await expectSound();
    });

    test.each(requests)(
      'A change of the type does not give back $name that another service has by then',
      async ({ spec }) => {
        const values = valuesOf(await writer.create({ name: 'a', ...whole }));
        const release = store.holdNext('update', rangeKey);
        const toOtherType = { type: 'ExternalName', externalName: 'a.b' };
        const change = writer.change('a', (service) => Object.assign(service.spec, toOtherType));
        await release.reached;
        await repairUntilReleased();
        await other.create({ name: 'b', ...spec(values) });
        release.release();
        await change;
        await expectSound();
      },
    );

    test.each(requests)(
      'A refused creation does not give back $name that another service has by then',
      async ({ spec }) => {
        const write = store.holdNext('create', keyOf('same'));
        const creation = writer.create({ name: 'same', ...whole });
        await write.reached;
        const values = await takenValues(store);
        await repairUntilReleased();
        await other.create({ name: 'same', ...spec(values) });
        write.release();
        await expect(creation).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' });
        await expectSound();
      },
    );

    test('A change that loses what it took before it is written takes another', async () => {
      await writer.create({ name: 'a' });
      const write = store.holdNext('update', keyOf('a'));
      const toWhole = { ...whole, ipFamilyPolicy: 'PreferDualStack' };
      const change = writer.change('a', ({ spec }) => Object.assign(spec, toWhole));
      await write.reached;
      const values = await takenValues(store);
      for (let round = 0; round < 3; round++) await other.ranges.repair();
      await other.remove('a').catch(() => undefined);
      await other.create({ name: 'a' });
      await other.create({ name: 'b', ...asksForPort(values.at(-1)) });
      write.release();
      expect(valuesOf(await change)).toHaveLength(4);
      await expectSound();
    });

    test('A change that loses only what it took, of a service that stays as it is, takes another', async () => {
      await writer.create({ name: 'a' });
      const write = store.holdNext('update', keyOf('a'));
      const change = writer.change('a', ({ spec }) => void (spec.type = 'NodePort'));
      await write.reached;
      const values = await takenValues(store);
      for (let round = 0; round < 3; round++) await other.ranges.repair();
      await other.create({ name: 'b', ...asksForPort(values.at(-1)) });
      write.release();
      expect(valuesOf(await change)).toHaveLength(2);
      await expectSound();
    });

    test('A write that comes after its server has given up changes nothing once its values are released', async () => {
      const write = store.loseNext('create', keyOf('a'));
      await expect(writer.create({ name: 'a', ...whole })).rejects.toMatchObject({ code: 503 });
      const values = await takenValues(store);
      expect(values).toHaveLength(4);
      await repairUntilReleased();
      await other.create({ name: 'b', ...all(values) });
      write.release();
      await write.answered;
      await expect(other.get('a')).rejects.toMatchObject({ code: 404 });
      await expectSound();
    });

    test('A write that comes after its server has given up counts when nothing was released', async () => {
      const write = store.loseNext('create', keyOf('a'));
      await expect(writer.create({ name: 'a', ...whole })).rejects.toMatchObject({ code: 503 });
      for (let round = 0; round < 2; round++) await other.ranges.repair();
      write.release();
      await write.answered;
      expect(valuesOf(await other.get('a'))).toHaveLength(4);
      for (let round = 0; round < 3; round++) await other.ranges.repair();
      await expectSound();
    });

    test('A creation whose range is lost and made anew before it is written gets another address', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', ...whole });
      await write.reached;
      const values = await takenValues(store);
      for (const { key, modRevision } of (await store.list(rangeKey)).kvs) await store.delete(key, modRevision);
      await serverOn(otherStore).create({ name: 'b', ...all(values) });
      write.release();
      expect(valuesOf(await creation)).toHaveLength(4);
      await expectSound();
    });

    test('A service that is written while a lost range is made anew keeps what it holds', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', clusterIP: '10.0.0.20' });
      await write.reached;
      for (const { key, modRevision } of (await store.list(rangeKey)).kvs) await store.delete(key, modRevision);
      const rebuild = otherStore.holdNext('update', `${rangeKey}serviceips`);
      const repair = other.ranges.repair();
      await rebuild.reached;
      write.release();
      await creation;
      rebuild.release();
      await repair;
      await expectSound();
    });

    test('What was released once is given back at once when the service that has it now goes', async () => {
      const write = store.holdNext('create', keyOf('a'));
      const creation = writer.create({ name: 'a', clusterIP: '10.0.0.20' });
      await write.reached;
      await repairUntilReleased();
      await other.create({ name: 'b', clusterIP: '10.0.0.20' });
      await other.remove('b');
      expect(await takenValues(store)).toEqual([]);
      write.release();
      await creation;
      await writer.remove('a');
      expect(await takenValues(store)).toEqual([]);
    });
  });
}
