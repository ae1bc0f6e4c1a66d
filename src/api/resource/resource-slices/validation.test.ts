import { expect, test } from 'vitest';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { gathered } from '../../../machinery/field-errors.ts';
import type { ResourceSlice } from '../../gen/types/resource-v1beta1.ts';
import { fromOldSlice, toOldSlice } from './v1alpha3.ts';
import { validateResourceSlice, validateResourceSliceUpdate } from './validation.ts';

type Members = Readonly<Record<string, unknown>>;

const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const slice = (spec: Members): ResourceSlice =>
  ({
    metadata: { name: 's', resourceVersion: '1' },
    spec: { driver: 'd', pool, nodeName: 'n', devices: [], ...spec },
  }) as unknown as ResourceSlice;
const problems = (spec: Members): string[] => gathered(() => validateResourceSlice(slice(spec))).map(fieldErrorText);
const ofDevice = (basic: Members | undefined): string[] => problems({ devices: [{ name: 'gpu', basic }] });

const oneOf = 'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required';
const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] };

test.each([
  { name: 'of a node', spec: {}, expected: [] },
  { name: 'for all nodes', spec: { nodeName: undefined, allNodes: true }, expected: [] },
  {
    name: 'for some nodes',
    spec: { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [term] } },
    expected: [],
  },
  { name: 'for no nodes', spec: { nodeName: undefined }, expected: [`spec: Required value: ${oneOf}`] },
  {
    name: 'for nodes that are said twice',
    spec: { allNodes: true },
    expected: [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${oneOf}, but multiple fields are set`],
  },
  {
    name: 'with two terms for nodes',
    spec: { nodeName: undefined, nodeSelector: { nodeSelectorTerms: [{}, {}] } },
    expected: [
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm{core.NodeSelectorTerm{' +
        'MatchExpressions:[]core.NodeSelectorRequirement(nil), MatchFields:[]core.NodeSelectorRequirement(nil)}, ' +
        'core.NodeSelectorTerm{MatchExpressions:[]core.NodeSelectorRequirement(nil), ' +
        'MatchFields:[]core.NodeSelectorRequirement(nil)}}: must have exactly one node selector term',
    ],
  },
  {
    name: 'of a pool without anything',
    spec: { pool: { generation: -1 } },
    expected: [
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
    ],
  },
  {
    name: 'of a pool with a long name',
    spec: { pool: { ...pool, name: Array.from({ length: 130 }, () => 'a').join('/') } },
    expected: ['spec.pool.name: Too long: may not be more than 253 bytes'],
  },
  {
    name: 'with many devices',
    spec: { devices: Array.from({ length: 129 }, (_, i) => ({ name: `d${i}`, basic: {} })) },
    expected: ['spec.devices: Too many: 129: must have at most 128 items'],
  },
  {
    name: 'with a device twice',
    spec: { devices: [0, 1].map(() => ({ name: 'gpu', basic: {} })) },
    expected: ['spec.devices[1].name: Duplicate value: "gpu"'],
  },
])('A slice $name is judged', ({ spec, expected }) => {
  expect(problems(spec)).toEqual(expected);
});

const attributes = (attribute: Members, name = 'a'): Members => ({ attributes: { [name]: attribute } });

test.each([
  {
    name: 'values of each type',
    basic: { attributes: { a: { int: 1 }, b: { bool: false }, 'd/c': { string: '' } } },
    expected: [],
  },
  { name: 'a version', basic: attributes({ version: '1.2.3-rc.1+build' }), expected: [] },
  { name: 'a capacity', basic: { capacity: { memory: { value: '1Gi' } } }, expected: [] },
  { name: 'nothing', basic: undefined, expected: [': Required value'] },
  {
    name: 'no value',
    basic: attributes({}),
    expected: ['.attributes[a]: Required value: exactly one value must be specified'],
  },
  {
    name: 'two values',
    basic: attributes({ int: 1, bool: true }),
    expected: [
      '.attributes[a]: Invalid value: resource.DeviceAttribute{IntValue:(*int64)(0xc000000000), ' +
        'BoolValue:(*bool)(0xc000000000), StringValue:(*string)(nil), VersionValue:(*string)(nil)}: ' +
        'exactly one value must be specified',
    ],
  },
  {
    name: 'a long text',
    basic: attributes({ string: 'x'.repeat(65) }),
    expected: ['.attributes[a].string: Too long: may not be more than 64 bytes'],
  },
  {
    name: 'a version that is none',
    basic: attributes({ version: '1.0' }),
    expected: ['.attributes[a].version: Invalid value: "1.0": must be a string compatible with semver.org spec 2.0.0'],
  },
  {
    name: 'a property without a name',
    basic: { ...attributes({ int: 1 }, 'd/'), capacity: { '': { value: '1' } } },
    expected: [
      '.attributes[d/]: Required value: the name must not be empty',
      '.capacity[]: Required value: name required',
    ],
  },
  {
    name: 'a name that is too long to be shown',
    basic: attributes({ int: 1 }, `d/${'x'.repeat(200)}`),
    expected: [`.attributes[d/${'x'.repeat(45)}...${'x'.repeat(46)}]: Too long: may not be more than 32 bytes`],
  },
  {
    name: 'many properties',
    basic: {
      attributes: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, { int: i }])),
      capacity: Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`c${i}`, { value: '1' }])),
    },
    expected: [': Invalid value: 33: the total number of attributes and capacities must not exceed 32'],
  },
])('A device with $name is judged', ({ basic, expected }) => {
  expect(ofDevice(basic)).toEqual(expected.map((text) => `spec.devices[0].basic${text}`));
});

test('The driver, the pool and the node of a slice do not change', () => {
  const changed = slice({ driver: 'e', pool: { ...pool, name: 'q' }, nodeName: 'm' });
  expect(validateResourceSliceUpdate(changed, slice({})).map(fieldErrorText)).toEqual([
    'spec.pool.name: Invalid value: "q": field is immutable',
    'spec.driver: Invalid value: "e": field is immutable',
    'spec.nodeName: Invalid value: "m": field is immutable',
  ]);
  expect(validateResourceSliceUpdate(slice({ pool: { ...pool, generation: 2 } }), slice({}))).toEqual([]);
});

test('A capacity of v1alpha3 is its quantity', () => {
  const devices = (memory: unknown): Members => ({ devices: [{ name: 'gpu', basic: { capacity: { memory } } }, {}] });
  const [old, now] = [slice(devices('1Gi')), slice(devices({ value: '1Gi' }))];
  expect(fromOldSlice(old as never)).toEqual(now);
  expect(toOldSlice(now)).toEqual(old);
  expect(toOldSlice(slice({ devices: undefined })).spec.devices).toBeUndefined();
});
