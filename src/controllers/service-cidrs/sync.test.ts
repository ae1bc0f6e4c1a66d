import { expect, test } from 'vitest';
import type { IPAddress, ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import { conditionFor, mayEnd, overlaps } from './sync.ts';

const nowMs = Date.UTC(2024, 0, 1);
const range = (name: string, cidrs: string[], { ends = false, conditions = [] as object[] } = {}): ServiceCIDR =>
  ({
    metadata: { name, ...(ends ? { deletionTimestamp: '2024-01-01T00:00:00Z' } : {}) },
    spec: { cidrs },
    status: { conditions },
  }) as unknown as ServiceCIDR;
const address = (name: string, managedBy = 'ipallocator.k8s.io'): IPAddress =>
  ({ metadata: { name, labels: { 'ipaddress.kubernetes.io/managed-by': managedBy } } }) as unknown as IPAddress;

const ending = range('a', ['10.0.0.0/24', 'fd00::/112'], { ends: true });

test.each([
  { name: 'nothing uses it', others: [], addresses: [], may: true },
  { name: 'a service has one of its addresses', others: [], addresses: ['10.0.0.7'], may: false },
  { name: 'a service has one of its IPv6 addresses', others: [], addresses: ['fd00::7'], may: false },
  { name: 'services have other addresses', others: [], addresses: ['10.0.1.7', 'fd01::7'], may: true },
  {
    name: 'others have all of its addresses',
    others: [range('b', ['10.0.0.0/16', 'fd00::/64'])],
    addresses: ['10.0.0.7'],
    may: true,
  },
  {
    name: 'another is the same',
    others: [range('b', ['10.0.0.0/24', 'fd00::/112'])],
    addresses: ['10.0.0.7'],
    may: true,
  },
  {
    name: 'another has the addresses in use',
    others: [range('b', ['10.0.0.0/28'])],
    addresses: ['10.0.0.7'],
    may: true,
  },
  {
    name: 'another has some of the addresses in use',
    others: [range('b', ['10.0.0.0/28'])],
    addresses: ['10.0.0.7', '10.0.0.77'],
    may: false,
  },
  {
    name: 'the other ends too',
    others: [range('b', ['10.0.0.0/16'], { ends: true })],
    addresses: ['10.0.0.7'],
    may: false,
  },
])('Whether a range may end when $name', ({ others, addresses, may }) => {
  expect(
    mayEnd(
      ending,
      [ending, ...others],
      addresses.map((name) => address(name)),
    ),
  ).toBe(may);
});

test('An address that no service was given holds no range', () => {
  expect(mayEnd(ending, [ending], [address('10.0.0.7', 'someone')])).toBe(true);
});

test.each([
  { name: 'a new range is ready', range: range('a', []), held: false, status: 'True' },
  {
    name: 'a range that is ready is not written again',
    range: range('a', [], {
      conditions: [{ type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }],
    }),
    held: false,
    status: undefined,
  },
  { name: 'a range that is held is not ready', range: ending, held: true, status: 'False' },
])('The status of a service CIDR: $name', ({ range: of, held, status }) => {
  expect(conditionFor(of, held, nowMs)?.status).toBe(status);
});

test.each([
  { name: 'in each other', a: ['10.0.0.0/16'], b: ['10.0.3.0/24'], expected: true },
  { name: 'of different families', a: ['10.0.0.0/16'], b: ['fd00::/112'], expected: false },
  { name: 'side by side', a: ['10.0.0.0/24'], b: ['10.0.1.0/24'], expected: false },
])('Whether ranges $name overlap', ({ a, b, expected }) => {
  expect(overlaps(range('a', a), range('b', b))).toBe(expected);
  expect(overlaps(range('b', b), range('a', a))).toBe(expected);
});
