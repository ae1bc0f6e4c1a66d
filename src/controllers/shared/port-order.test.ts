import { expect, test } from 'vitest';
import { orderEndpointsPorts, orderSlicePorts } from './port-order.ts';

const dns = { name: 'dns', port: 53, protocol: 'UDP' } as const;
const dnsTcp = { name: 'dns-tcp', port: 5353, protocol: 'TCP' } as const;
const metrics = { name: 'm', port: 9000, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' } as const;

test.each([
  { name: 'in the order of the service', ports: [dns, dnsTcp, metrics] },
  { name: 'in another order', ports: [metrics, dnsTcp, dns] },
])('Ports have the recorded order, given $name', ({ ports }) => {
  expect(orderEndpointsPorts(ports)).toEqual([dns, metrics, dnsTcp]);
  expect(orderSlicePorts(ports)).toEqual([metrics, dnsTcp, dns]);
});

test('No port and one port stay as they are', () => {
  expect(orderEndpointsPorts([])).toEqual([]);
  expect(orderSlicePorts([dns])).toEqual([dns]);
});
