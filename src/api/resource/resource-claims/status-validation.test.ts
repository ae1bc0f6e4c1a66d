import { expect, test } from 'vitest';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { gathered } from '../../../machinery/field-errors.ts';
import type { ResourceClaim } from '../../gen/types/resource-v1beta1.ts';
import { validateResourceClaimStatusUpdate } from './status-validation.ts';

type Members = Readonly<Record<string, unknown>>;

const claim = (status: Members, metadata: Members = {}): ResourceClaim =>
  ({
    metadata: { name: 'c', namespace: 'n', resourceVersion: '1', uid: 'u', ...metadata },
    spec: { devices: { requests: [{ name: 'r' }] } },
    status,
  }) as unknown as ResourceClaim;
const problems = (object: ResourceClaim, old: ResourceClaim = claim({})): string[] =>
  gathered(() => validateResourceClaimStatusUpdate(object, old)).map(fieldErrorText);

const id = { driver: 'd', pool: 'p', device: 'gpu' };
const allocation = { devices: { results: [{ ...id, request: 'r' }] } };
const pod = { resource: 'pods', name: 'a', uid: '1' };
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const condition = { type: 'Ready', status: 'True', reason: 'Ok', lastTransitionTime: '2026-01-01T00:00:00Z' };
const opaque = { opaque: { driver: 'd', parameters: {} } };
const ofDevice = (more: Members): ResourceClaim => claim({ allocation, devices: [{ ...id, ...more }] });

test.each([
  { name: 'of an allocation with consumers', object: claim({ allocation, reservedFor: [pod] }), expected: [] },
  {
    name: 'with a consumer that is not complete',
    object: claim({ allocation, reservedFor: [{}] }),
    expected: ['resource', 'name', 'uid'].map((field) => `status.reservedFor[0].${field}: Required value`),
  },
  {
    name: 'with the same consumer twice',
    object: claim({ allocation, reservedFor: [pod, pod] }),
    expected: ['status.reservedFor[1].uid: Duplicate value: "1"'],
  },
  {
    name: 'with many consumers',
    object: claim({ allocation, reservedFor: Array.from({ length: 257 }, (_, i) => ({ ...pod, uid: String(i) })) }),
    expected: ['status.reservedFor: Too many: 257: must have at most 256 items'],
  },
  {
    name: 'with consumers and no allocation',
    object: claim({ reservedFor: [pod] }),
    expected: ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
  },
  {
    name: 'with a new consumer while the claim is deleted',
    object: claim({ allocation, reservedFor: [pod] }, deleting),
    old: claim({ allocation }, deleting),
    expected: [
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or ' +
        '`deletionTimestamp` are set',
    ],
  },
  {
    name: 'with a consumer less while the claim is deleted',
    object: claim({ allocation, reservedFor: [pod] }, deleting),
    old: claim({ allocation, reservedFor: [pod, { ...pod, uid: '2' }] }, deleting),
    expected: [],
  },
  {
    name: 'of another allocation',
    object: claim({ allocation: { devices: {} } }),
    old: claim({ allocation }),
    expected: [
      'status.allocation: Invalid value: resource.AllocationResult{Devices:resource.DeviceAllocationResult{' +
        'Results:[]resource.DeviceRequestAllocationResult(nil), ' +
        'Config:[]resource.DeviceAllocationConfiguration(nil)}, ' +
        'NodeSelector:(*core.NodeSelector)(nil)}: field is immutable',
    ],
  },
  { name: 'without its allocation', object: claim({}), old: claim({ allocation }), expected: [] },
  {
    name: 'of an allocation for an unknown request',
    object: claim({ allocation: { devices: { results: [{ ...id, request: 'x', pool: 'a//b' }] } } }),
    expected: [
      'status.allocation.devices.results[0].request: Invalid value: "x": must be the name of a request in the claim',
      'status.allocation.devices.results[0].pool: Invalid value: "": a lowercase RFC 1123 subdomain must consist of ' +
        "lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'example.com', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  },
  {
    name: 'of an allocation with configurations of no source',
    object: claim({ allocation: { devices: { config: [{ ...opaque }, { ...opaque, source: 'x' }] } } }),
    expected: [
      'status.allocation.devices.config[0].source: Required value',
      'status.allocation.devices.config[1].source: Unsupported value: "x": supported values: "FromClaim", "FromClass"',
    ],
  },
  {
    name: 'of an allocation for no nodes',
    object: claim({ allocation: { devices: {}, nodeSelector: {} } }),
    expected: [
      'status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  },
  {
    name: 'of a device with all that can be said',
    object: ofDevice({ conditions: [condition], data: { a: 1 }, networkData: { ips: ['10.0.0.1/24', 'fe80::1/64'] } }),
    expected: [],
  },
  {
    name: 'of a device that was not allocated',
    object: claim({ allocation, devices: [{ ...id, device: 'nic' }] }),
    expected: ['status.devices[0]: Invalid value: d/p/nic: must be an allocated device in the claim'],
  },
  {
    name: 'of one device twice',
    object: claim({ allocation, devices: [id, id] }),
    expected: ['status.devices[1].deviceID: Duplicate value: d/p/gpu'],
  },
  {
    name: 'of a device with many conditions',
    object: ofDevice({ conditions: Array.from({ length: 9 }, (_, i) => ({ ...condition, type: `T${i}` })) }),
    expected: ['status.devices[0].conditions: Too many: 9: must have at most 8 items'],
  },
  {
    name: 'of a device with addresses in other forms',
    object: ofDevice({ networkData: { ips: ['10.0.0.1', '2001:0db8::1/64', '10.0.0.1/24', '10.0.0.1/24'] } }),
    expected: [
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid CIDR value, (e.g. ' +
        '10.9.8.0/24 or 2001:db8::/64)',
      'status.devices[0].networkData.ips[1]: Invalid value: "2001:0db8::1/64": must be in canonical form ' +
        '(2001:db8::1/64)',
      'status.devices[0].networkData.ips[3]: Duplicate value: "10.0.0.1/24"',
    ],
  },
  {
    name: 'of a device with long names and data',
    object: ofDevice({
      data: { text: 'x'.repeat(10 * 1024) },
      networkData: { interfaceName: 'x'.repeat(257), hardwareAddress: 'x'.repeat(129) },
    }),
    expected: [
      'status.devices[0].data: Too long: may not be more than 10240 bytes',
      'status.devices[0].networkData.interfaceName: Too long: may not be more than 256 bytes',
      'status.devices[0].networkData.hardwareAddress: Too long: may not be more than 128 bytes',
    ],
  },
])('A status $name is judged', ({ object, old, expected }) => {
  expect(problems(object, old ?? claim({}, object.metadata))).toEqual(expected);
});
