/** Registers a node: creates its object, or takes over the one that is there. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/client.ts';
import { metadataChanges, type NodeIdentity, nodeObject } from './node-object.ts';
import { statusPatch } from './status-patch.ts';

export interface RegistrationOptions {
  readonly client: Pick<Client, 'core'>;
  readonly identity: NodeIdentity;
  readonly signal: AbortSignal;
  /** Looks before it creates: only where the gate KubeletRegistrationGetOnExistsOnly is off. */
  readonly looksFirst: boolean;
}

/** @param status as the node begins; of an object that is there only its resources are changed */
export async function registerNode(status: Node['status'], options: RegistrationOptions): Promise<Node> {
  const { client, identity, signal, looksFirst } = options;
  const { nodes } = client.core.v1;
  const find = (): Promise<Node> => nodes.get(identity.name, { signal });
  if (looksFirst)
    try {
      return await takeOver(await find(), status, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  try {
    return await nodes.create(nodeObject(identity, status), { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return takeOver(await find(), status, options);
}

async function takeOver(
  existing: Node,
  { capacity, allocatable }: Node['status'],
  { client, identity, signal }: RegistrationOptions,
): Promise<Node> {
  const { nodes } = client.core.v1;
  const changes = metadataChanges(existing, identity);
  let node = existing;
  if (changes !== undefined) node = await nodes.patch(identity.name, { strategic: { metadata: changes } }, { signal });
  const { status: before } = node;
  const resources = statusPatch(before, {
    ...before,
    capacity: { ...before.capacity, ...capacity },
    allocatable: { ...before.allocatable, ...allocatable },
  });
  if (Object.keys(resources).length === 0) return node;
  return await nodes.status.patch(identity.name, { strategic: { status: resources } }, { signal });
}
