/** How config maps and secrets are read for pods: `configMapAndSecretChangeDetectionStrategy`. */
import type { ConfigMap, Secret } from '../../../api/gen/types/core-v1.ts';

export type ChangeDetection = 'Get' | 'Cache' | 'Watch';

export interface ObjectReader<T> {
  /** Undefined when it is not there. Rejects when the API server cannot be asked. */
  get(namespace: string, name: string, signal?: AbortSignal): Promise<T | undefined>;
  stop(): Promise<void>;
}

export interface ObjectReaders {
  readonly configMaps: ObjectReader<ConfigMap>;
  readonly secrets: ObjectReader<Secret>;
}

/** Which objects a pod may refer to. */
export type ReferredKind = 'configMaps' | 'secrets';

export interface ObjectUse {
  /** An object that is watched has changed. */
  readonly onChange: (kind: ReferredKind, namespace: string, name: string) => void;
  /** Whether a pod refers to it. */
  readonly isUsed: (kind: ReferredKind, namespace: string, name: string) => boolean;
}
