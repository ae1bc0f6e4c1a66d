/** The volumes of pods: how many there are, and how long what is done with them takes, by upstream's names. */
import { Gauge, Histogram, type Registry } from 'prom-client';

export interface VolumeOperation {
  /** Of the pod. */
  readonly uid: string;
  /** As the pod calls it. */
  readonly volume: string;
  /** `kubernetes.io/empty-dir`, `kubernetes.io/csi:driver` */
  readonly plugin: string;
}

export interface VolumeObserver {
  /** A pod is to have the volume. */
  wanted(volume: VolumeOperation): void;
  /** It could not be set up this time. */
  failed(volume: VolumeOperation, seconds: number): void;
  /** It is set up. Told again with each look at the pod. @param sinceWantedSeconds with all tries before */
  mounted(volume: VolumeOperation, seconds: number, sinceWantedSeconds: number): void;
  /** All volumes of the pod were taken away, or could not be. */
  tornDown(uid: string, seconds: number, isError: boolean): void;
  /** A driver of CSI was called. @param method `/csi.v1.Node/NodePublishVolume` @param code `OK` */
  called(driver: string, method: string, code: string, seconds: number): void;
  /** What a volume uses was measured. @param source `statfs`, `du`, or the name of a CSI driver */
  measured(source: string, seconds: number): void;
  /** Directories of pods that are gone were looked for. */
  cleanedOrphans(count: number, errors: number): void;
}

const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** By uid of the pod and name of the volume: its plugin. */
type Held = Map<string, Map<string, string>>;

export function createVolumeMetrics(registry: Registry): VolumeObserver {
  const registers = [registry];
  const operations = new Histogram({
    name: 'storage_operation_duration_seconds',
    help: 'How long volumes took to be set up and taken away.',
    labelNames: ['migrated', 'operation_name', 'status', 'volume_plugin'],
    buckets,
    registers,
  });
  const total = new Histogram({
    name: 'volume_operation_total_seconds',
    help: 'How long volumes took until they were there, with all tries.',
    labelNames: ['operation_name', 'plugin_name'],
    buckets,
    registers,
  });
  const calls = new Histogram({
    name: 'csi_operations_seconds',
    help: 'How long calls of CSI drivers took.',
    labelNames: ['driver_name', 'grpc_status_code', 'method_name', 'migrated'],
    buckets,
    registers,
  });
  const measured = new Histogram({
    name: 'kubelet_volume_metric_collection_duration_seconds',
    help: 'How long it took to measure volumes.',
    labelNames: ['metric_source'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const orphans = new Gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes',
    help: 'Pods that are gone whose volumes were taken away when they were last looked for.',
    registers,
  });
  const orphanErrors = new Gauge({
    name: 'kubelet_orphan_pod_cleaned_volumes_errors',
    help: 'Pods that are gone whose volumes could not be taken away when they were last looked for.',
    registers,
  });
  const desired: Held = new Map();
  const actual: Held = new Map();
  showVolumes(registry, { desired_state_of_world: desired, actual_state_of_world: actual });
  const observe = (operation: string, plugin: string, seconds: number, isError: boolean): void =>
    operations.observe(
      {
        migrated: 'false',
        operation_name: operation,
        status: isError ? 'fail-unknown' : 'success',
        volume_plugin: plugin,
      },
      seconds,
    );
  return {
    wanted: (volume) => void hold(desired, volume),
    failed: ({ plugin }, seconds) => observe('volume_mount', plugin, seconds, true),
    mounted(volume, seconds, sinceWantedSeconds) {
      const { plugin } = volume;
      if (!hold(actual, volume)) return;
      observe('volume_mount', plugin, seconds, false);
      total.observe({ operation_name: 'overall_volume_mount', plugin_name: plugin }, sinceWantedSeconds);
    },
    tornDown(uid, seconds, isError) {
      for (const plugin of actual.get(uid)?.values() ?? []) observe('volume_unmount', plugin, seconds, isError);
      desired.delete(uid);
      if (!isError) actual.delete(uid);
    },
    called: (driver, method, code, seconds) =>
      calls.observe({ driver_name: driver, grpc_status_code: code, method_name: method, migrated: 'false' }, seconds),
    measured: (source, seconds) => measured.observe({ metric_source: source }, seconds),
    cleanedOrphans(count, errors) {
      orphans.set(count);
      orphanErrors.set(errors);
    },
  };
}

/** @returns whether it is new */
function hold(held: Held, { uid, volume, plugin }: VolumeOperation): boolean {
  const own = held.get(uid) ?? new Map<string, string>();
  held.set(uid, own);
  const isNew = !own.has(volume);
  own.set(volume, plugin);
  return isNew;
}

function showVolumes(registry: Registry, states: Readonly<Record<string, Held>>): void {
  const volumes: Gauge<'plugin_name' | 'state'> = new Gauge({
    name: 'volume_manager_total_volumes',
    help: 'Volumes that pods are to have, and those that are there.',
    labelNames: ['plugin_name', 'state'],
    registers: [registry],
    collect() {
      volumes.reset();
      for (const [state, held] of Object.entries(states))
        for (const own of held.values()) for (const plugin of own.values()) volumes.inc({ plugin_name: plugin, state });
    },
  });
}
