/**
 * Attaches the volumes of CSI drivers to the nodes of the pods that want them, and detaches them when no pod does.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/nodes/#non-graceful-node-shutdown | Non-graceful node
 *   shutdown} for volumes of nodes that are down
 */
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { VolumeAttachment } from '../../api/gen/types/storage-v1.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { claimKeys } from '../../api/core/pods/claims.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { inParallel } from '../shared/parallel.ts';
import { attachmentName, driverVolumeNamed, driverVolumeOf, type VolumeReader } from '../shared/attachable-volumes.ts';
import { type AttachedEntry, AttachedVolumes } from './attached-volumes.ts';
import { attachMetrics } from './metrics.ts';
import { Operations } from './operations.ts';
import { earliest, isManaged, multiAttachMessage, planNode, reportFor, type WantedVolume } from './sync.ts';
import { attachableIndex, attachableKeys, WantedVolumes } from './wanted-volumes.ts';

/** Nodes at a time, and operations of a node at a time. */
const workers = 10;

export function startVolumeAttachments(context: ControllerContext): void {
  const { core, storage } = context.client;
  const pods = context.informer(core.v1.pods);
  const nodes = context.informer(core.v1.nodes);
  const claims = context.informer(core.v1.persistentvolumeclaims);
  const volumes = context.informer(core.v1.persistentvolumes);
  const drivers = context.informer(storage.v1.csidrivers);
  const csiNodes = context.informer(storage.v1.csinodes);
  const attachments = context.informer(storage.v1.volumeattachments);
  context.index(pods, attachableIndex, attachableKeys);
  context.index(pods, claimIndex, claimKeys);
  const reader: VolumeReader = {
    claim: (key) => claims.objects.get(key),
    volume: (name) => volumes.objects.get(name),
    driver: (name) => drivers.objects.get(name),
    csiNode: (name) => csiNodes.objects.get(name),
    isGateOn: context.isGateOn,
  };
  const nodesOfClaim = (key: string): string[] => pods.objects.byIndex(claimIndex, key).flatMap(attachableKeys);
  const nodesOfVolume = ({ spec }: PersistentVolume): string[] =>
    spec.claimRef === undefined ? [] : nodesOfClaim(`${spec.claimRef.namespace}/${spec.claimRef.name}`);
  const sync = new AttachDetach(context, { pods, nodes, attachments, reader, wake: (node) => controller.add(node) });
  const controller = context.work({
    queue: 'attachdetach',
    workers,
    triggers: [
      changesOf(nodes, (node) => (sync.isConcerned(node) ? [node.metadata.name!] : [])),
      changesOf(pods, attachableKeys),
      changesOf(claims, (claim: PersistentVolumeClaim) => nodesOfClaim(claims.keyOf(claim))),
      changesOf(volumes, nodesOfVolume),
      changesOf(attachments, ({ spec }) => (sync.mayHave(spec.nodeName ?? '') ? [spec.nodeName ?? ''] : [])),
      changesOf(csiNodes, ({ metadata }) => (sync.mayHave(metadata.name!) ? [metadata.name!] : [])),
      // Rare, and every volume of the driver may have to be attached now, or detached.
      changesOf(drivers, () => new Set([...pods.objects.values()].flatMap(attachableKeys))),
    ],
    sync: (node) => sync.sync(node),
  });
  const { reconcileSyncPeriodMs, disableReconcileSync } = context.options.attachDetach;
  if (!disableReconcileSync) context.every(reconcileSyncPeriodMs, () => Promise.resolve(sync.verify()));
}

interface Parts {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly attachments: Informer<VolumeAttachment>;
  readonly reader: VolumeReader;
  /** Looks at the node soon. */
  wake(node: string): void;
}

class AttachDetach {
  readonly #context: ControllerContext;
  readonly #parts: Parts;
  readonly #attached = new AttachedVolumes();
  readonly #wanted: WantedVolumes;
  readonly #nodes: MutationCache<Node>;
  readonly #attachments: MutationCache<VolumeAttachment>;
  readonly #operations: Operations;
  /** Nodes that wait until an exclusive volume is free, by its name; and whether their pods were told. */
  readonly #blocked = new Map<string, Map<string, boolean>>();
  readonly #metrics;
  #isPopulated = false;

  constructor(context: ControllerContext, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
    this.#wanted = new WantedVolumes(parts.pods.objects, parts.reader);
    this.#nodes = context.mutationCache(parts.nodes);
    this.#attachments = context.mutationCache(parts.attachments);
    const onDetached = (entry: AttachedEntry): void => this.#forget(entry);
    const [attachments, attached] = [this.#attachments, this.#attached];
    this.#operations = new Operations(context, { attachments, attached, onDetached });
    this.#metrics = attachMetrics(context.metrics);
    const namesOf = (entry: AttachedEntry): string => entry.name;
    this.#metrics?.count({
      desired: () => this.#wanted.names(),
      actual: () => [...attached.all()].map(namesOf),
      uses: () => this.#wanted.uses(),
    });
    context.onStop(() => this.#metrics?.count(undefined));
  }

  /** Nodes report often: only those with volumes are looked at. */
  isConcerned({ metadata, status }: Node): boolean {
    return this.mayHave(metadata.name!) || (status?.volumesAttached?.length ?? 0) > 0;
  }

  mayHave(node: string): boolean {
    if (!this.#isPopulated || this.#attached.hasNode(node)) return true;
    return this.#parts.pods.objects.byIndex(attachableIndex, node).length > 0;
  }

  async sync(name: string): Promise<SyncResult> {
    this.#populate();
    for (const entry of this.#attached.ofNode(name))
      if (entry.detachingSince !== undefined) await this.#operations.settle(entry);
    const now = this.#context.clock.now();
    const node = this.#nodes.get(name);
    const plan = planNode({
      ...{ node, now, wanted: this.#wantedOn(name, node), entries: this.#attached.ofNode(name) },
      isForcedOnTimeout: !this.#context.options.attachDetach.disableForceDetachOnTimeout,
      elsewhere: (volume) => this.#attached.elsewhere(volume, name),
    });
    // Before anything is waited for: no other node may take the volume now.
    const toAttach = plan.attach.map((wanted) => ({ wanted, entry: this.#attached.add(name, wanted.volume.name) }));
    this.#unblock(name, plan.blocked);
    for (const wanted of plan.blocked) this.#block(name, wanted);
    for (const { entry } of plan.detach) entry.isReported = false;
    await this.#report(name);
    const looks = await inParallel(
      [
        ...plan.detach.map(({ entry, force }) => () => {
          if (force !== undefined) this.#metrics?.forced(force);
          return this.#operations.detach(entry, force);
        }),
        ...toAttach.map(
          ({ entry, wanted }) =>
            () =>
              this.#operations.attach(entry, wanted),
        ),
      ],
      workers,
      (run) => run(),
    );
    await this.#report(name);
    const times = looks.flatMap((look) =>
      look.status === 'fulfilled' && look.value !== undefined ? [look.value] : [],
    );
    const lookAt = times.reduce<number | undefined>(earliest, plan.lookAt);
    return lookAt === undefined ? undefined : { requeueAfterMs: Math.max(0, lookAt - this.#context.clock.now()) };
  }

  /** Looks whether what should be attached still is: drivers and users may have changed it. */
  verify(): void {
    if (!this.#isPopulated) return;
    for (const entry of [...this.#attached.all()]) {
      const volume = driverVolumeNamed(entry.name);
      if (!entry.isAttached || volume === undefined) continue;
      if (this.#attachments.get(attachmentName(volume, entry.node))?.status?.attached === true) continue;
      this.#forget(entry);
      this.#parts.wake(entry.node);
    }
  }

  /** What an earlier process has attached, or may have. */
  #populate(): void {
    if (this.#isPopulated) return;
    this.#isPopulated = true;
    for (const { metadata, status } of this.#parts.nodes.objects.values())
      for (const { name = '', devicePath } of status?.volumesAttached ?? [])
        this.#attached.add(metadata.name!, name, true, devicePath);
    for (const { metadata, spec } of this.#parts.attachments.objects.values()) {
      const { nodeName = '' } = spec;
      const volume = driverVolumeOf(spec.source, this.#parts.reader);
      // One of another name is not this controller's.
      if (volume === undefined || attachmentName(volume, nodeName) !== metadata.name) continue;
      this.#attached.add(nodeName, `kubernetes.io/csi/${volume.driver}^${volume.handle}`);
    }
  }

  /**
   * A node that is gone, or that attaches by itself, keeps what its pods have.
   * @NOTE differs from upstream: a volume is detached from a node that attaches by itself while a pod there uses it.
   */
  #wantedOn(name: string, node: Node | undefined): ReadonlyMap<string, WantedVolume> {
    const wanted = this.#wanted.look(name, node);
    if (isManaged(node)) return wanted;
    return new Map([...wanted].filter(([volume]) => this.#attached.get(name, volume) !== undefined));
  }

  async #report(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    const volumesAttached = node === undefined ? undefined : reportFor(node, this.#attached.ofNode(name));
    if (volumesAttached === undefined) return;
    const status = { volumesAttached: volumesAttached.length === 0 ? null : volumesAttached };
    this.#nodes.wrote(await this.#context.client.core.v1.nodes.status.patch(name, { strategic: { status } }));
  }

  /** The node waits for no other volumes than these. */
  #unblock(node: string, blocked: readonly WantedVolume[]): void {
    const names = new Set(blocked.map(({ volume }) => volume.name));
    for (const [volume, waiting] of this.#blocked) {
      if (!names.has(volume)) waiting.delete(node);
      if (waiting.size === 0) this.#blocked.delete(volume);
    }
  }

  #block(node: string, { volume, pods }: WantedVolume): void {
    const waiting = this.#blocked.get(volume.name) ?? new Map<string, boolean>();
    this.#blocked.set(volume.name, waiting);
    const holders = this.#attached.elsewhere(volume.name, node).filter(({ isAttached }) => isAttached);
    const isTold = waiting.get(node) === true;
    waiting.set(node, isTold || holders.length > 0);
    if (isTold || holders.length === 0) return;
    const others = holders.flatMap((holder) => this.#wanted.podsWith(volume.name, holder.node));
    for (const pod of pods) {
      const message = multiAttachMessage(volume.title, pod, others);
      this.#context.events.event(pod, 'Warning', 'FailedAttachVolume', message);
    }
  }

  #forget(entry: AttachedEntry): void {
    this.#attached.remove(entry);
    const waiting = this.#blocked.get(entry.name);
    this.#blocked.delete(entry.name);
    for (const node of waiting?.keys() ?? []) this.#parts.wake(node);
    if (this.#wanted.isWaitingFor(entry.name, entry.node)) this.#parts.wake(entry.node);
  }
}
