/**
 * Warns of pods that use a volume with different SELinux labels, which volumes that are mounted with a label cannot
 * have on one node.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#selinux-warning-controller |
 *   SELinux warning controller}
 */
import type { PersistentVolume, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import { migratedPlugins, pluginsAnnotation } from '../../api/core/persistent-volumes/migration.ts';
import { claimKeys } from '../../api/core/pods/claims.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { mayHaveAttachable, resolveVolume, type VolumeReader } from '../shared/attachable-volumes.ts';
import { claimIndex } from '../shared/ephemeral-claims.ts';
import { eventsOf } from '../shared/triggers.ts';
import { mountLabels, policyOf } from './labels.ts';
import { conflictMetrics } from './metrics.ts';
import { type Conflict, messageOf, VolumeUsers } from './volume-users.ts';

export function startSELinuxWarnings(context: ControllerContext): void {
  const { core, storage } = context.client;
  const pods = context.informer(core.v1.pods);
  const claims = context.informer(core.v1.persistentvolumeclaims);
  const volumes = context.informer(core.v1.persistentvolumes);
  const drivers = context.informer(storage.v1.csidrivers);
  context.index(pods, claimIndex, claimKeys);
  const users = new VolumeUsers();
  const metrics = conflictMetrics(context.metrics);
  metrics?.show(() => users.conflicts());
  context.onStop(() => metrics?.show(undefined));
  // Pods are looked at wherever they run, and drivers that attach nothing too.
  const everyPlugin = { name: '', annotations: { [pluginsAnnotation]: migratedPlugins.join(',') } };
  const reader: VolumeReader = {
    claim: (key) => claims.objects.get(key),
    volume: (name) => volumes.objects.get(name),
    driver: () => undefined,
    csiNode: () => ({ metadata: everyPlugin, spec: {} }),
    isGateOn: context.isGateOn,
  };
  const podsOfClaim = (key: string): string[] => pods.objects.byIndex(claimIndex, key).map((pod) => pods.keyOf(pod));
  const podsOfVolume = ({ spec }: PersistentVolume): string[] =>
    (spec.claimRef?.uid ?? '') === '' ? [] : podsOfClaim(`${spec.claimRef!.namespace}/${spec.claimRef!.name}`);
  const tell = (conflict: Conflict): void => {
    const pod = pods.objects.get(conflict.pod);
    if (pod !== undefined) context.events.event(pod, 'Normal', `${conflict.property}Conflict`, messageOf(conflict));
  };
  const lookAt = (pod: Pod, declared: Volume, label: string): void => {
    const volume = resolveVolume(pod, declared, '', reader);
    if (volume === 'none' || volume === 'unknown') return;
    const { driver } = volume.attachment ?? {};
    // What nodes connect themselves can be mounted with a label.
    const isMountable = driver === undefined || drivers.objects.get(driver)?.spec.seLinuxMount === true;
    const use = { label, policy: policyOf(pod, isMountable) };
    users.add(volume.name, driver ?? '', pods.keyOf(pod), use).forEach(tell);
  };
  context.work({
    queue: 'selinux_warning',
    workers: 1,
    triggers: [
      // What matters of a pod does not change until it is over.
      eventsOf(pods, (add) => ({
        onAdd: (pod) => (mayHaveAttachable(pod) ? add(pods.keyOf(pod)) : undefined),
        onUpdate: (before, after) =>
          isPodTerminal(after) && !isPodTerminal(before) ? add(pods.keyOf(after)) : undefined,
        onDelete: (pod) => add(pods.keyOf(pod)),
      })),
      eventsOf(claims, (add) => ({
        onAdd: (claim) => podsOfClaim(claims.keyOf(claim)).forEach((key) => add(key)),
        onUpdate: (before, after) => {
          const isBound = before.status?.phase !== after.status?.phase && after.status?.phase === 'Bound';
          if (isBound) podsOfClaim(claims.keyOf(after)).forEach((key) => add(key));
        },
      })),
      eventsOf(volumes, (add) => ({
        onAdd: (volume) => podsOfVolume(volume).forEach((key) => add(key)),
        onUpdate: (before, after) => {
          if (before.spec.claimRef?.uid !== after.spec.claimRef?.uid) podsOfVolume(after).forEach((key) => add(key));
        },
      })),
      changesOf(drivers, ({ metadata }) => users.podsOf(metadata.name!)),
    ],
    sync: (key) => {
      users.remove(key);
      const pod = pods.objects.get(key);
      if (pod === undefined || isPodTerminal(pod)) return Promise.resolve(undefined);
      const labels = mountLabels(pod);
      for (const declared of pod.spec?.volumes ?? []) {
        const mounted = labels.get(declared.name ?? '');
        if (mounted === 'several') {
          const message = `Volume "${declared.name}" is mounted twice with different SELinux labels inside this pod`;
          context.events.event(pod, 'Warning', 'MultipleSELinuxLabels', message);
        } else if (mounted !== undefined) lookAt(pod, declared, mounted.label);
      }
      return Promise.resolve(undefined);
    },
  });
}
