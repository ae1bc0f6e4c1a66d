import type { Node } from '../../../api/gen/types/core-v1.ts';
import { ageCell, textCell } from '../../../api/table/cells.ts';
import { roundResourceList } from '../../../api/core/resources/quantities.ts';
import { type Cell, defineResource, type VersionRules } from '../../strategy.ts';
import { nodeStatusStrategy, nodeStrategy } from './strategy.ts';

function setDefaults(node: Node): void {
  alignPodCidrs(node);
  roundResourceList(node.status?.capacity);
  roundResourceList(node.status?.allocatable);
  if (node.status?.capacity !== undefined && node.status.allocatable === undefined)
    node.status.allocatable = { ...node.status.capacity };
}

/** The older field with one range, and the newer list, say the same; where they do not, the older one wins. */
function alignPodCidrs({ spec }: Node): void {
  if (spec === undefined) return;
  const { podCIDR = '', podCIDRs = [] } = spec;
  if (podCIDR === '' && podCIDRs.length > 0) spec.podCIDR = podCIDRs[0]!;
  else if (podCIDR !== '' && podCIDRs[0] !== podCIDR) spec.podCIDRs = [podCIDR];
}

const roleLabel = 'node-role.kubernetes.io/';

function roles({ metadata }: Node): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(roleLabel)) found.add(key.slice(roleLabel.length));
    else if (key === 'kubernetes.io/role' && value !== '') found.add(value);
  }
  found.delete('');
  return found.size === 0 ? '<none>' : [...found].sort().join(',');
}

function state({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function cells(node: Node, now: Date): Cell[] {
  const { metadata, status } = node;
  const info = status?.nodeInfo;
  const address = (type: string): string =>
    textCell(status?.addresses?.find((candidate) => candidate.type === type)?.address);
  const known = (text: string | undefined): string => (text === undefined || text === '' ? '<unknown>' : text);
  return [
    metadata?.name ?? '',
    state(node),
    roles(node),
    ageCell(metadata?.creationTimestamp, now),
    info?.kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    known(info?.osImage),
    known(info?.kernelVersion),
    known(info?.containerRuntimeVersion),
  ];
}

export const nodes = defineResource<Node>({
  group: '',
  resource: 'nodes',
  versions: { v1: { defaults: setDefaults } as VersionRules },
  strategy: nodeStrategy,
  status: nodeStatusStrategy,
  table: { cells: (node, { now }) => cells(node, now) },
});
