/** Writes which volumes claims get, and waits until they have them. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import type { Client } from '../../../client/client.ts';
import { selectedNode, volumeFor } from '../../../api/core/persistent-volumes/binding.ts';
import { isOnNode } from '../../../api/core/persistent-volumes/matching.ts';
import type { PodVolumes } from './find-volumes.ts';
import { isFullyBound } from './pod-claims.ts';
import type { Node } from '../../../api/gen/types/core-v1.ts';

/** The claim as it is when a volume is to be made for it. */
export function claimOnNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  const annotations = { ...claim.metadata.annotations, [selectedNode]: nodeName };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}

/** A write that another has made void is refused with a conflict, and the pod is tried again. */
export async function writeVolumes(
  client: Pick<Client, 'core'>,
  { bindings, toProvision }: PodVolumes,
  nodeName: string,
  signal: AbortSignal,
): Promise<void> {
  const { persistentvolumes, persistentvolumeclaims } = client.core.v1;
  for (const { volume, claim } of bindings) await persistentvolumes.update(volumeFor(volume, claim), { signal });
  for (const claim of toProvision)
    if (claim.metadata.annotations?.[selectedNode] !== nodeName)
      await persistentvolumeclaims.update(claimOnNode(claim, nodeName), { signal });
}

export interface BindingReader {
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  node(name: string): Node | undefined;
}

/** Whether all claims have their volumes. Throws when that cannot become so any more. */
export function areBound({ bindings, toProvision }: PodVolumes, nodeName: string, storage: BindingReader): boolean {
  const node = storage.node(nodeName);
  if (node === undefined) throw new Error(`node "${nodeName}" not found`);
  let isBound = true;
  for (const { claim, volume } of bindings) {
    const now = storage.volume(volume.metadata.name ?? '');
    if (now === undefined) throw new Error(`persistentvolume "${volume.metadata.name ?? ''}" not found`);
    if (!isOnNode(now, node))
      throw new Error(`pv "${now.metadata.name ?? ''}" node affinity doesn't match node "${nodeName}"`);
    isBound &&= isFullyBound(currentClaim(claim, storage));
  }
  for (const claim of toProvision) {
    const now = currentClaim(claim, storage);
    isBound &&= isFullyBound(now);
    if (isFullyBound(now)) continue;
    // Who makes volumes gives the choice of the node back when it cannot make one there.
    const selected = now.metadata.annotations?.[selectedNode];
    if (selected !== undefined && selected !== nodeName)
      throw new Error(`selectedNode annotation value "${selected}" not set to scheduled node "${nodeName}"`);
  }
  return isBound;
}

function currentClaim({ metadata }: PersistentVolumeClaim, storage: BindingReader): PersistentVolumeClaim {
  const claim = storage.claim(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
  if (claim === undefined) throw new Error(`persistentvolumeclaim "${metadata.name ?? ''}" not found`);
  return claim;
}

const lookMs = 250;

/** Throws after the time limit. */
export async function untilBound(
  isBound: () => boolean,
  { clock, timeoutMs, signal }: { readonly clock: Clock; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const end = clock.now() + timeoutMs;
  while (!isBound()) {
    if (clock.now() >= end) throw new Error('binding volumes: context deadline exceeded');
    await sleep(clock, lookMs, signal);
    signal.throwIfAborted();
  }
}
