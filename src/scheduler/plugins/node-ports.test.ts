import { expect, test } from 'vitest';
import type { ContainerPort, PodSpec } from '../../api/gen/types/core-v1.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { nodeInfo, pod, podInfo } from '../testing/objects.ts';
import { createNodePorts } from './node-ports.ts';

const plugin = createNodePorts();
const open = (...ports: ContainerPort[]): Partial<PodSpec> => ({ containers: [{ name: 'c', ports, resources: {} }] });
const at8080 = (more: ContainerPort = {}): Partial<PodSpec> => open({ containerPort: 80, hostPort: 8080, ...more });

const rows: readonly { name: string; asks: Partial<PodSpec>; has: Partial<PodSpec>; fits: boolean }[] = [
  { name: 'the same port', asks: at8080(), has: at8080(), fits: false },
  { name: 'another port', asks: at8080(), has: open({ hostPort: 81 }), fits: true },
  { name: 'another protocol', asks: at8080({ protocol: 'UDP' }), has: at8080(), fits: true },
  { name: 'the protocol that is the default', asks: at8080({ protocol: 'TCP' }), has: at8080(), fits: false },
  { name: 'another address', asks: at8080({ hostIP: '127.0.0.2' }), has: at8080({ hostIP: '127.0.0.1' }), fits: true },
  { name: 'an address of all', asks: at8080({ hostIP: '127.0.0.1' }), has: at8080(), fits: false },
  { name: 'all addresses', asks: at8080(), has: at8080({ hostIP: '127.0.0.1' }), fits: false },
  { name: 'the port of a sidecar', asks: at8080(), has: sidecar('Always'), fits: false },
  { name: 'the port of an init container', asks: at8080(), has: sidecar(undefined), fits: true },
];

function sidecar(restartPolicy: 'Always' | undefined): Partial<PodSpec> {
  const { containers } = at8080();
  return { initContainers: [{ ...containers![0]!, ...(restartPolicy === undefined ? {} : { restartPolicy }) }] };
}

test.each(rows)('A pod that asks for $name fits: $fits', ({ asks, has, fits }) => {
  const node = nodeInfo({}, [{ name: 'there', spec: has }]);
  const status = plugin.filter(new CycleState(), podInfo({ spec: asks }), node);
  expect(status?.reasons).toEqual(fits ? undefined : ["node(s) didn't have free ports for the requested pod ports"]);
});

test.each(rows.slice(0, 6))(
  'A pod that was refused is woken when a pod with $name goes: $fits',
  ({ asks, has, fits }) => {
    const { hint } = plugin.events[0]!;
    expect(hint!(pod({ spec: asks }), pod({ spec: has }), undefined)).toBe(!fits);
  },
);

test('A pod without ports of the host is not looked at', () => {
  expect(plugin.preFilter(new CycleState(), podInfo())?.status?.code).toBe('Skip');
  expect(plugin.preFilter(new CycleState(), podInfo({ spec: at8080() }))).toBeUndefined();
});

test('A port is free again when the last pod that has it is gone', () => {
  const node = nodeInfo({}, [
    { name: 'a', spec: at8080() },
    { name: 'b', spec: at8080() },
  ]);
  const asking = podInfo({ spec: at8080() });
  node.removePod('default/a');
  expect(plugin.filter(new CycleState(), asking, node)).toBeDefined();
  node.removePod('default/b');
  expect(plugin.filter(new CycleState(), asking, node)).toBeUndefined();
});
