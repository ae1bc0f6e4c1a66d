import { expect, test } from 'vitest';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { IPAddress, ServiceCIDR } from '../../../../api/gen/types/networking-v1beta1.ts';
import { silentLogger } from '../../../../base/logger.ts';
import type { StoredObject } from '../../../../storage/objects.ts';
import { type AddressObjects, addressOf } from './address-objects.ts';
import { repairAddresses } from './address-repair.ts';

const now = Date.UTC(2024, 0, 1, 1);
const service = (name: string, ...clusterIPs: string[]): Service =>
  ({ metadata: { name, namespace: 'ns' }, spec: { type: 'ClusterIP', clusterIPs }, status: {} }) as unknown as Service;
const external = (name: string): Service =>
  ({ metadata: { name, namespace: 'ns' }, spec: { type: 'ExternalName' }, status: {} }) as unknown as Service;
/** @param age in seconds */
const address = (ip: string, owner: Service, age = 3600): IPAddress => {
  const made = addressOf(ip, 'IPv4', owner);
  const creationTimestamp = new Date(now - age * 1000).toISOString().replace('.000Z', 'Z');
  return { ...made, metadata: { ...made.metadata, creationTimestamp } };
};
const byHand = (ip: string): IPAddress => {
  const made = address(ip, service('x'));
  return { ...made, metadata: { ...made.metadata, labels: {} } };
};
const [a, b] = [service('a', '10.0.0.7'), service('b', '10.0.0.7')];

test.each([
  {
    name: 'a service of a time without objects gets its object',
    services: [a],
    addresses: [],
    left: ['10.0.0.7 a'],
    found: ['repair 10.0.0.7'],
  },
  {
    name: 'a service with two addresses gets both',
    services: [service('d', '10.0.0.7', 'fd00::7')],
    addresses: [],
    left: ['10.0.0.7 d', 'fd00::7 d'],
    found: ['repair 10.0.0.7', 'repair fd00::7'],
  },
  {
    name: 'an object of its service stays',
    services: [a],
    addresses: [address('10.0.0.7', a)],
    left: ['10.0.0.7 a'],
    found: [],
  },
  {
    name: 'an object that names another service is replaced',
    services: [a],
    addresses: [address('10.0.0.7', b)],
    left: ['10.0.0.7 a'],
    found: ['repair 10.0.0.7'],
  },
  {
    name: 'an old object of no service goes',
    services: [],
    addresses: [address('10.0.0.7', a, 61)],
    left: [],
    found: ['leak 10.0.0.7'],
  },
  {
    name: 'a new object may be of a service that is being written',
    services: [],
    addresses: [address('10.0.0.7', a, 59)],
    left: ['10.0.0.7 a'],
    found: [],
  },
  {
    name: 'an object that a client made stays',
    services: [],
    addresses: [byHand('10.0.0.7')],
    left: ['10.0.0.7 x'],
    found: [],
  },
  {
    name: 'an address of two services is told for the second',
    services: [a, b],
    addresses: [address('10.0.0.7', a)],
    left: ['10.0.0.7 a'],
    found: ['duplicate 10.0.0.7'],
  },
  {
    name: 'an address of no range is told',
    services: [service('o', '10.1.0.1')],
    addresses: [address('10.1.0.1', service('o'))],
    left: ['10.1.0.1 o'],
    found: ['outOfRange 10.1.0.1'],
  },
  {
    name: 'services without addresses need nothing',
    services: [external('e'), service('h', 'None')],
    addresses: [],
    left: [],
    found: [],
  },
])('A repair of IPAddress objects: $name', async ({ services, addresses, left, found }) => {
  const stored = new Map(addresses.map((each) => [each.metadata.name!, each]));
  const objects: AddressObjects = {
    ranges: () =>
      Promise.resolve([
        { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/24', 'fd00::/112'] } } as ServiceCIDR,
      ]),
    addresses: () => Promise.resolve([...stored.values()]),
    find: (ip) => Promise.resolve(stored.get(ip)),
    create(made) {
      const isNew = !stored.has(made.metadata.name!);
      if (isNew) stored.set(made.metadata.name!, made);
      return Promise.resolve(isNew);
    },
    remove: ({ metadata }) => Promise.resolve(void stored.delete(metadata.name!)),
  };
  const told: string[] = [];
  await repairAddresses({
    objects,
    services: {
      prefix: '/registry/services/specs/',
      visit(see) {
        services.forEach((each) => see(each as unknown as StoredObject));
        return Promise.resolve(1);
      },
      decode: (each) => each as unknown as Service,
    },
    found: ({ type, value }) => void told.push(`${type} ${value}`),
    log: silentLogger,
    wallTime: () => now,
    leakAgeMs: 60_000,
  });
  expect([...stored].map(([ip, { spec }]) => `${ip} ${spec!.parentRef!.name}`).sort()).toEqual(left);
  expect(told).toEqual(found);
});
