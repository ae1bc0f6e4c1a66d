import { describe, expect, test } from 'vitest';
import type { Endpoints, EndpointSubset } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { setEndpointsDefaults } from './defaults.ts';
import { endpointsCells } from './table.ts';
import { validateEndpoints, validateEndpointsUpdate } from './validation.ts';

function endpoints(subsets: EndpointSubset[], annotations: Record<string, string> = {}): Endpoints {
  const made = { metadata: { name: 'web', namespace: 'default', resourceVersion: '1', annotations }, subsets };
  setEndpointsDefaults(made);
  return made;
}

const trigger = 'endpoints.kubernetes.io/last-change-trigger-time';
const good: EndpointSubset = { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] };

describe('rules of endpoints', () => {
  test.each([
    { name: 'no ports', made: endpoints([{ notReadyAddresses: [{ ip: 'fd00::1', nodeName: 'n1', hostname: 'h' }] }]) },
    { name: 'time of a change', made: endpoints([good], { [trigger]: '2024-02-29T23:59:59.123456789+01:00' }) },
  ])('Valid: $name', ({ made }) => expect(validateEndpoints(made)).toEqual([]));

  test.each([
    {
      name: 'time of a change',
      made: endpoints([good], { [trigger]: '2023-02-29T00:00:00Z' }),
      problem:
        `annotations.${trigger}: Invalid value: "2023-02-29T00:00:00Z": must be a valid time value in ` +
        'RFC3339Nano format',
    },
    {
      name: 'not ready address',
      made: endpoints([{ notReadyAddresses: [{ ip: '127.0.0.1' }] }]),
      problem:
        'subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range ' +
        '(127.0.0.0/8, ::1/128)',
    },
    {
      name: 'names of several ports',
      made: endpoints([{ ...good, ports: [{ port: 80 }, { name: 'b', port: 81 }] }]),
      problem: 'subsets[0].ports[0].name: Required value',
    },
  ])('Endpoints are refused: $name', ({ made, problem }) =>
    expect(validateEndpoints(made).map(fieldErrorText)).toEqual([problem]),
  );

  test('Bad subsets of Endpoints from before do not stand in the way of other changes', () => {
    const old = endpoints([{ addresses: [{ ip: '127.0.0.1' }] }]);
    expect(validateEndpointsUpdate(endpoints([{ addresses: [{ ip: '127.0.0.1' }] }], { a: 'b' }), old)).toEqual([]);
    expect(validateEndpointsUpdate(endpoints([{ addresses: [{ ip: '127.0.0.2' }] }]), old)).toHaveLength(1);
  });

  test('IPv6 addresses stand in brackets', () =>
    expect(endpointsCells(endpoints([{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }]), new Date())[1]).toBe(
      '[fd00::1]:80',
    ));
});
