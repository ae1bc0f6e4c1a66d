import { describe, expect, test } from 'vitest';
import type { Endpoint, EndpointSlice } from '../../gen/types/discovery-v1.ts';
import type { EndpointSlice as OldEndpointSlice } from '../../gen/types/discovery-v1beta1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { fromOldSlice, toOldSlice } from './v1beta1.ts';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './validation.ts';

const slice = (endpoint: Partial<Endpoint> = {}, members: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name: 'web-1', namespace: 'default' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: {}, ...endpoint }],
  ports: [{ name: '', port: 80, protocol: 'TCP' }],
  ...members,
});

describe('rules of endpoint slices', () => {
  test('A full name with a dot at the end', () =>
    expect(validateEndpointSlice(slice({ addresses: ['a.example.com.'] }, { addressType: 'FQDN' }))).toEqual([]));

  test.each([
    {
      name: 'IPv6 in a slice of IPv4',
      made: slice({ addresses: ['fd00::1'] }),
      problem: 'endpoints[0].addresses[0]: Invalid value: "fd00::1": must be a valid IPv4 address',
    },
    {
      name: 'one label',
      made: slice({ addresses: ['host'] }, { addressType: 'FQDN' }),
      problem:
        'endpoints[0].addresses[0]: Invalid value: "host": should be a domain with at least two ' +
        'segments separated by dots',
    },
    {
      name: 'too many endpoints',
      made: slice({}, { endpoints: Array.from({ length: 1001 }, () => ({ conditions: {} })) }),
      problem: 'endpoints: Too many: 1001: must have at most 1000 items',
    },
    {
      name: 'too many ports',
      made: slice({}, { ports: Array.from({ length: 20_001 }, () => ({})) }),
      problem: 'ports: Too many: 20001: must have at most 20000 items',
    },
    {
      name: 'node',
      made: slice({ nodeName: 'A' }),
      problem:
        'endpoints[0].nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower ' +
        "case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'example.com', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    },
    {
      name: 'protocol',
      made: slice({}, { ports: [{ name: '', port: 1, protocol: 'X' as never }] }),
      problem: 'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    },
  ])('An endpoint slice is refused: $name', ({ made, problem }) =>
    expect(validateEndpointSlice(made).map(fieldErrorText)).toEqual([problem]),
  );

  test.each([0, 70_000])('An endpoint slice may have any number as its port, such as %i', (port) => {
    expect(validateEndpointSlice(slice({}, { ports: [{ name: '', port, protocol: 'TCP' }] }))).toEqual([]);
  });

  test('The type of the addresses stays', () => {
    const changed = slice({ addresses: ['fd00::1'] }, { addressType: 'IPv6' });
    expect(validateEndpointSliceUpdate(changed, slice()).map(fieldErrorText)).toEqual([
      'addressType: Invalid value: "IPv6": field is immutable',
    ]);
  });
});

describe('endpoint slices of v1beta1', () => {
  const old: OldEndpointSlice = {
    metadata: { name: 'web-1' },
    addressType: 'IPv4',
    endpoints: [
      {
        addresses: ['10.0.0.1'],
        conditions: {},
        topology: { 'topology.kubernetes.io/zone': 'z', 'kubernetes.io/hostname': 'n' },
      },
      { addresses: ['10.0.0.2'], conditions: {} },
    ],
  };
  const current: EndpointSlice = {
    metadata: { name: 'web-1' },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.0.0.1'], conditions: {}, zone: 'z', deprecatedTopology: { 'kubernetes.io/hostname': 'n' } },
      { addresses: ['10.0.0.2'], conditions: {} },
    ],
  };
  test('The zone is taken out of the topology', () => expect(fromOldSlice(old)).toEqual(current));
  test('The zone is written back into the topology', () => expect(toOldSlice(current)).toEqual(old));
});
