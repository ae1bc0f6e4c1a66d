/** Ports of the host are one pod's. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreFilterPlugin } from '../framework/plugin.ts';
import { skip, unschedulable } from '../framework/status.ts';
import { type HostPort, hostPortsOf, UsedPorts } from '../../api/core/pods/host-ports.ts';

const name = 'NodePorts';
const skipped = { status: skip(name) };
const taken = unschedulable(name, "node(s) didn't have free ports for the requested pod ports");

export function createNodePorts(): Has<PreFilterPlugin & FilterPlugin & EnqueuePlugin> {
  return {
    name,
    preFilter: (_, { hostPorts }) => (hostPorts.length === 0 ? skipped : undefined),
    filter: (_, { hostPorts }, { usedPorts }) => (areFree(hostPorts, usedPorts) ? undefined : taken),
    events: [
      { resource: 'AssignedPod', action: actions.delete, hint: (pod, before) => sharePorts(pod, before as Pod) },
      { resource: 'Node', action: actions.add },
    ],
  };
}

export function areFree(ports: readonly HostPort[], used: UsedPorts): boolean {
  for (const port of ports) if (used.conflictsWith(port)) return false;
  return true;
}

function sharePorts(pod: Pod, deleted: Pod): boolean {
  const used = new UsedPorts();
  for (const port of hostPortsOf(deleted.spec)) used.add(port);
  return !areFree(hostPortsOf(pod.spec), used);
}
