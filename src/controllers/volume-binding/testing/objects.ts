import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import type { StorageView } from '../claims.ts';

type Annotations = Readonly<Record<string, string>>;

/** A claim `n/c` of 2Gi without a class. */
export const claimOf = (
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  annotations?: Annotations,
): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'n', uid: 'u1', ...(annotations === undefined ? {} : { annotations }) },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '2Gi' } },
    storageClassName: '',
    ...spec,
  },
  status: { phase: 'Pending' },
});

/** A free volume of 2Gi without a class. */
export const volumeOf = (
  name: string,
  spec: Partial<PersistentVolume['spec']> = {},
  annotations?: Annotations,
): PersistentVolume => ({
  metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' }, ...spec },
  status: { phase: 'Available' },
});

export const refTo = (name: string, uid?: string): NonNullable<PersistentVolume['spec']['claimRef']> => ({
  namespace: 'n',
  name,
  ...(uid === undefined ? {} : { uid }),
});

interface Storage {
  readonly volumes?: readonly PersistentVolume[];
  readonly pods?: readonly string[];
  readonly default?: string;
}

/** With a class `immediate` and a class `later`, which waits for a node. */
export const storageOf = ({ volumes = [], pods = [], default: defaultClass }: Storage): StorageView => ({
  volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
  volumesOfClass: (name) =>
    volumes.filter(({ spec }) => spec.claimRef === undefined && (spec.storageClassName ?? '') === name),
  volumesOfClaim: (key) => volumes.filter(({ spec }) => `${spec.claimRef?.namespace}/${spec.claimRef?.name}` === key),
  storageClass: (name) =>
    name === 'immediate' || name === 'later'
      ? {
          metadata: { name },
          provisioner: 'csi.example.com',
          volumeBindingMode: name === 'later' ? 'WaitForFirstConsumer' : 'Immediate',
        }
      : undefined,
  defaultClass: () => defaultClass,
  waitingPods: () => pods,
});
