/**
 * The pod that empties a volume before another claim gets it.
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/#recycle | Recycle}
 */
import { readFile } from 'node:fs/promises';
import type { PersistentVolume, PersistentVolumeSpec, Pod } from '../../api/gen/types/core-v1.ts';
import { sizeOf } from '../../api/core/persistent-volumes/matching.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import type { RecyclerOptions } from '../manager/options.ts';

export type RecycledSource = Pick<PersistentVolumeSpec, 'hostPath' | 'nfs'>;

/** Undefined for a volume that no pod here can empty. */
export function recycledSource({ spec }: PersistentVolume): RecycledSource | undefined {
  if (spec.hostPath !== undefined) return { hostPath: { path: spec.hostPath.path ?? '' } };
  if (spec.nfs === undefined) return undefined;
  const { server = '', path = '' } = spec.nfs;
  return { nfs: { server, path } };
}

const defaultTemplate: Pod = {
  metadata: { namespace: 'default' },
  spec: {
    restartPolicy: 'Never',
    volumes: [{ name: 'vol' }],
    containers: [
      {
        name: 'pv-recycler',
        image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.4',
        command: ['/bin/sh'],
        args: ['-c', 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
        resources: {},
        volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
      },
    ],
  },
  status: {},
};

export interface RecyclerTemplate {
  readonly pod: Pod;
  readonly minimumSeconds: number;
  readonly incrementSeconds: number;
}

/** @param kind of volume, for messages */
export async function loadTemplate(
  kind: string,
  { templateFile, minimumSeconds, incrementSeconds }: RecyclerOptions,
): Promise<RecyclerTemplate> {
  try {
    const pod = templateFile === undefined ? defaultTemplate : readTemplate(await readFile(templateFile));
    return { pod, minimumSeconds, incrementSeconds };
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`Could not create ${kind} recycler pod from file ${templateFile}: ${reason}`, { cause: error });
  }
}

export function readTemplate(text: Uint8Array): Pod {
  if (text.length === 0) throw new Error('file was empty');
  const { value } = parseYaml(text);
  const pod = value as Partial<Pod> | undefined;
  if (pod?.apiVersion !== 'v1' || pod.kind !== 'Pod') throw new Error('failed decoding file: it is no Pod of v1');
  if (!Array.isArray(pod.spec?.volumes) || pod.spec.volumes.length === 0)
    throw new Error('pod specification does not contain any volume(s)');
  return { ...pod, metadata: pod.metadata ?? {}, status: {} } as Pod;
}

export const recyclerPrefix = 'recycler-for-';

export const namespaceOf = ({ pod }: RecyclerTemplate): string => pod.metadata.namespace || 'default';

/** @param volume whose source takes the place of the first volume of the template */
export function recyclerPod(volume: PersistentVolume, source: RecycledSource, template: RecyclerTemplate): Pod {
  const { metadata, spec = {} } = template.pod;
  const { generateName: _, ...kept } = metadata;
  const [first, ...others] = spec.volumes ?? [];
  return {
    ...template.pod,
    metadata: { ...kept, namespace: namespaceOf(template), name: `${recyclerPrefix}${volume.metadata.name}` },
    spec: {
      ...spec,
      activeDeadlineSeconds: timeoutSeconds(volume, template),
      volumes: [{ name: first?.name ?? 'vol', ...source }, ...others],
    },
  };
}

const gibibyte = 1n << 30n;

/** So many seconds for each whole GiB, and not less than the minimum. */
export function timeoutSeconds(
  volume: PersistentVolume,
  { minimumSeconds, incrementSeconds }: Pick<RecyclerTemplate, 'minimumSeconds' | 'incrementSeconds'>,
): number {
  return Math.max(minimumSeconds, Number(sizeOf(volume).value() / gibibyte) * incrementSeconds);
}
