import { describe, expect, test } from 'vitest';
import type { Node } from '../../../api/gen/types/core-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../../api/gen/types/resource-v1beta1.ts';
import { allocate } from './allocate.ts';
import { poolsOn } from './pools.ts';

const driver = 'gpu.example.com';
const node = { metadata: { name: 'n1', labels: { zone: 'a' } } } as unknown as Node;
type Devices = Readonly<Record<string, object>>;

const slice = (name: string, devices: Devices, spec: object = { nodeName: 'n1' }, pool: object = {}): ResourceSlice =>
  ({
    metadata: { name },
    spec: {
      driver,
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1, ...pool },
      devices: Object.entries(devices).map(([device, basic]) => ({ name: device, basic })),
      ...spec,
    },
  }) as unknown as ResourceSlice;
const claim = (requests: object[], more: object = {}): ResourceClaim =>
  ({
    metadata: { name: 'c', namespace: 'ns' },
    spec: {
      devices: { requests: requests.map((each, i) => ({ name: `r${i}`, deviceClassName: 'gpu', ...each })), ...more },
    },
    status: {},
  }) as unknown as ResourceClaim;
const cel = (expression: string): object => ({ selectors: [{ cel: { expression } }] });
const gpuClass = {
  metadata: { name: 'gpu' },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
};

interface Case {
  readonly slices: readonly ResourceSlice[];
  readonly claims: readonly ResourceClaim[];
  readonly taken?: readonly string[];
  readonly deviceClass?: object;
}
function found({ slices, claims, taken = [], deviceClass = gpuClass }: Case) {
  return allocate({
    claims,
    node,
    pools: poolsOn(node, slices),
    taken: new Set(taken),
    classOf: (name) => (name === 'gpu' ? (deviceClass as DeviceClass) : undefined),
  });
}
const names = (of: Case): string[][] | undefined =>
  found(of)?.map(({ devices }) => (devices.results ?? []).map(({ request, device }) => `${request}:${device}`));

const two = slice('s', { a: {}, b: {} });
const attributed = slice('s', {
  small: { attributes: { model: { string: 'x' }, numa: { int: 0 } }, capacity: { memory: { value: '8Gi' } } },
  large: { attributes: { model: { string: 'x' }, numa: { int: 1 } }, capacity: { memory: { value: '80Gi' } } },
  other: { attributes: { 'o.example.com/model': { string: 'y' }, version: { version: '1.2.3' }, numa: { int: 1 } } },
});

describe('devices for a claim', () => {
  test.each<Case & { name: string; devices: string[][] | undefined }>([
    { name: 'of one request', slices: [two], claims: [claim([{}])], devices: [['r0:a']] },
    { name: 'as many as it asks for', slices: [two], claims: [claim([{ count: 2 }])], devices: [['r0:a', 'r0:b']] },
    { name: 'none when there are too few', slices: [two], claims: [claim([{ count: 3 }])], devices: undefined },
    {
      name: 'not those of another claim',
      slices: [two],
      claims: [claim([{}])],
      taken: [`${driver}/pool/a`],
      devices: [['r0:b']],
    },
    {
      name: 'of two claims are different',
      slices: [two],
      claims: [claim([{}]), claim([{}])],
      devices: [['r0:a'], ['r0:b']],
    },
    {
      name: 'of an administrator are those of others',
      slices: [two],
      claims: [claim([{ adminAccess: true }])],
      taken: [`${driver}/pool/a`],
      devices: [['r0:a']],
    },
    { name: 'all of them', slices: [two], claims: [claim([{ allocationMode: 'All' }])], devices: [['r0:a', 'r0:b']] },
    {
      name: 'not all when one is taken',
      slices: [two],
      claims: [claim([{ allocationMode: 'All' }])],
      taken: [`${driver}/pool/b`],
      devices: undefined,
    },
    {
      name: 'of another node are none',
      slices: [slice('s', { a: {} }, { nodeName: 'n2' })],
      claims: [claim([{}])],
      devices: undefined,
    },
    {
      name: 'for all nodes',
      slices: [slice('s', { a: {} }, { allNodes: true })],
      claims: [claim([{}])],
      devices: [['r0:a']],
    },
    {
      name: 'of an older generation are none',
      slices: [slice('s', { a: {} }), slice('t', { b: {} }, { nodeName: 'n1' }, { generation: 2 })],
      claims: [claim([{}])],
      devices: [['r0:b']],
    },
    {
      name: 'with a name twice are none',
      slices: [two, slice('t', { a: {} })],
      claims: [claim([{}])],
      devices: undefined,
    },
    // selectors
    {
      name: 'by an attribute',
      slices: [attributed],
      claims: [claim([cel(`device.attributes["${driver}"].numa == 1`)])],
      devices: [['r0:large']],
    },
    {
      name: 'by a capacity',
      slices: [attributed],
      claims: [
        claim([
          cel(
            `has(device.capacity["${driver}"].memory) && ` +
              `device.capacity["${driver}"].memory.isGreaterThan(quantity("10Gi"))`,
          ),
        ]),
      ],
      devices: [['r0:large']],
    },
    {
      name: 'by an attribute of another domain',
      slices: [attributed],
      claims: [claim([cel('device.attributes["o.example.com"].?model.orValue("") == "y"')])],
      devices: [['r0:other']],
    },
    {
      name: 'by a version',
      slices: [attributed],
      claims: [
        claim([
          cel(
            `has(device.attributes["${driver}"].version) && ` +
              `device.attributes["${driver}"].version.isGreaterThan(semver("1.0.0"))`,
          ),
        ]),
      ],
      devices: [['r0:other']],
    },
    {
      name: 'in a domain that has nothing',
      slices: [attributed],
      claims: [claim([cel('device.attributes["none.example.com"].size() == 0')])],
      devices: [['r0:small']],
    },
    // constraints
    {
      name: 'that have an attribute in common',
      slices: [attributed],
      claims: [claim([{ count: 2 }], { constraints: [{ matchAttribute: `${driver}/numa` }] })],
      devices: [['r0:large', 'r0:other']],
    },
    {
      name: 'that have no attribute in common',
      slices: [attributed],
      claims: [claim([{ count: 3 }], { constraints: [{ matchAttribute: `${driver}/numa` }] })],
      devices: undefined,
    },
    {
      name: 'of requests that a constraint does not name are free',
      slices: [attributed],
      claims: [claim([{ count: 2 }, {}], { constraints: [{ requests: ['r0'], matchAttribute: `${driver}/numa` }] })],
      devices: [['r0:large', 'r0:other', 'r1:small']],
    },
  ])('Devices for a claim: $name', (of) => {
    expect(names(of)).toEqual(of.devices);
  });

  test.each([
    {
      name: 'of a class that does not exist',
      of: { slices: [two], claims: [claim([{ deviceClassName: 'no' }])] },
      message: 'claim ns/c, request r0: could not retrieve device class no',
    },
    {
      name: 'by a selector that is no expression',
      of: { slices: [two], claims: [claim([cel('device.')])] },
      message: 'compilation failed',
    },
    {
      name: 'that can be chosen in too many ways',
      of: {
        slices: [
          slice(
            's',
            Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i}`, { attributes: { a: { int: i % 2 } } }])),
          ),
        ],
        claims: [claim([{ count: 21 }], { constraints: [{ matchAttribute: `${driver}/a` }] })],
      },
      message: 'there are too many ways to choose devices',
    },
    {
      name: 'by an attribute that a device has not',
      of: { slices: [attributed], claims: [claim([cel(`device.attributes["${driver}"].none == 1`)])] },
      message: 'no such key: none',
    },
    {
      name: 'all of a pool that changes',
      of: {
        slices: [slice('s', { a: {} }, undefined, { resourceSliceCount: 2 })],
        claims: [claim([{ allocationMode: 'All' }])],
      },
      message: 'is currently being updated',
    },
  ])('$name fail', ({ of, message }) => {
    expect(() => found(of)).toThrow(message);
  });
});

test.each([
  {
    name: 'of a node',
    spec: { nodeName: 'n1' },
    selector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] },
  },
  { name: 'of all nodes', spec: { allNodes: true }, selector: undefined },
  {
    name: 'of some nodes',
    spec: {
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
    },
    selector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
  },
])('A claim with devices $name says where they can be used', ({ spec, selector }) => {
  const [result] = found({ slices: [slice('s', { a: {}, b: {} }, spec)], claims: [claim([{ count: 2 }])] })!;
  expect(result!.nodeSelector).toEqual(selector);
});

test('The configuration of classes comes before that of the claim', () => {
  const opaque = (driverName: string) => ({ opaque: { driver: driverName, parameters: {} } });
  const deviceClass = { ...gpuClass, spec: { ...gpuClass.spec, config: [opaque('of-class')] } };
  const [result] = found({
    slices: [two],
    claims: [claim([{ count: 2 }], { config: [opaque('of-claim')] })],
    deviceClass,
  })!;
  expect(result!.devices.config).toEqual([
    { source: 'FromClass', requests: ['r0'], ...opaque('of-class') },
    { source: 'FromClaim', ...opaque('of-claim') },
  ]);
});
