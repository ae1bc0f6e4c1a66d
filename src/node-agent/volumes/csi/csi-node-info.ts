/**
 * Tells the API server which CSI drivers this node has: its CSINode, by which the scheduler counts and places volumes,
 * and the annotation and labels of the node.
 * @see {@link https://kubernetes-csi.github.io/docs/csi-node-object.html | CSINode object}
 */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import type { CSINode, CSINodeDriver } from '../../../api/gen/types/storage-v1.ts';
import { migratedPlugins, pluginsAnnotation } from '../../../api/core/persistent-volumes/migration.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../../client/api-error.ts';
import type { Client } from '../../../client/client.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import { KeyedLock } from '../keyed-lock.ts';

export interface CsiDriverInfo {
  readonly name: string;
  /** How the driver calls this node. */
  readonly nodeId: string;
  /** 0 for no limit. */
  readonly maxVolumes: number;
  /** Where the node is, for the driver. */
  readonly topology: Readonly<Record<string, string>>;
}

export interface CsiNodeInfo {
  /** Makes the CSINode when it is missing. */
  prepare(): Promise<void>;
  add(driver: CsiDriverInfo): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Of a node without an API server. */
export const noNodeInfo: CsiNodeInfo = {
  prepare: () => Promise.resolve(),
  add: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

const nodeIdsAnnotation = 'csi.volume.kubernetes.io/nodeid';
const tries = 5;

export function createCsiNodeInfo(client: Client, nodeName: string): CsiNodeInfo {
  const lock = new KeyedLock();
  const { csinodes } = client.storage.v1;
  const { nodes } = client.core.v1;

  const changeNode = async (change: (node: Node) => object | undefined): Promise<void> => {
    const node = await nodes.get(nodeName);
    const metadata = change(node);
    if (metadata !== undefined) await nodes.patch(nodeName, { merge: { metadata } });
  };
  const changeDrivers = async (change: (drivers: readonly CSINodeDriver[]) => CSINodeDriver[]): Promise<void> => {
    for (let left = tries; ; left--)
      try {
        const found = (await csinodes.get(nodeName).catch(undefinedWhenGone)) ?? (await make());
        const drivers = change(found.spec.drivers ?? []);
        if (JSON.stringify(drivers) === JSON.stringify(found.spec.drivers ?? [])) return;
        await csinodes.update({ ...found, spec: { ...found.spec, drivers } });
        return;
      } catch (error) {
        if (left <= 1 || !(isConflict(error) || isNotFound(error) || isAlreadyExists(error))) throw error;
      }
  };
  const make = async (): Promise<CSINode> => {
    const { metadata } = await nodes.get(nodeName);
    const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: metadata.uid ?? '' };
    const annotations = { [pluginsAnnotation]: [...migratedPlugins].sort().join(',') };
    return csinodes.create({
      metadata: { name: nodeName, annotations, ownerReferences: [owner] },
      spec: { drivers: [] },
    });
  };

  return {
    prepare: () => lock.run('', () => changeDrivers((drivers) => [...drivers])),
    add: ({ name, nodeId, maxVolumes, topology }) =>
      lock.run('', async () => {
        if (nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
        await changeNode((node) => nodeChange(node, name, nodeId, topology));
        const entry: CSINodeDriver = {
          name,
          nodeID: nodeId,
          topologyKeys: Object.keys(topology).sort(),
          ...(maxVolumes > 0 ? { allocatable: { count: Math.min(maxVolumes, 2 ** 31 - 1) } } : {}),
        };
        await changeDrivers((drivers) => {
          const others = drivers.filter((driver) => driver.name !== name);
          const same = drivers.find((driver) => JSON.stringify(driver) === JSON.stringify(entry));
          return same === undefined ? [...others, entry] : [...drivers];
        });
      }),
    remove: (name) =>
      lock.run('', async () => {
        await changeDrivers((drivers) => drivers.filter((driver) => driver.name !== name));
        await changeNode((node) => {
          const { [name]: known, ...others } = nodeIdsOf(node);
          if (known === undefined) return undefined;
          const text = Object.keys(others).length === 0 ? null : JSON.stringify(others);
          return { annotations: { [nodeIdsAnnotation]: text } };
        });
      }),
  };
}

/** Labels that say another place are not the driver's to change. */
function nodeChange(
  node: Node,
  name: string,
  nodeId: string,
  topology: Readonly<Record<string, string>>,
): object | undefined {
  const { labels = {} } = node.metadata;
  for (const [key, value] of Object.entries(topology))
    if (labels[key] !== undefined && labels[key] !== value)
      throw new Error(
        `detected topology value collision: driver reported "${key}":"${value}" but existing label is ` +
          `"${key}":"${labels[key]}"`,
      );
  const ids = nodeIdsOf(node);
  const isKnown = ids[name] === nodeId && Object.keys(topology).every((key) => labels[key] !== undefined);
  if (isKnown) return undefined;
  return { labels: topology, annotations: { [nodeIdsAnnotation]: JSON.stringify({ ...ids, [name]: nodeId }) } };
}

function nodeIdsOf({ metadata }: Node): Record<string, string> {
  try {
    return JSON.parse(metadata.annotations?.[nodeIdsAnnotation] ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}
