/** What pods refer to, as the API server has it. */
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import type {
  ConfigMap,
  PersistentVolume,
  PersistentVolumeClaim,
  Secret,
  Service,
} from '../../api/gen/types/core-v1.ts';
import type { CSIDriver, VolumeAttachment } from '../../api/gen/types/storage-v1.ts';
import type { NamedObjects } from './config/environment.ts';

export interface ApiObjects {
  /** Undefined when it is not there. Rejects when the API server cannot be asked. */
  configMap(namespace: string, name: string, signal?: AbortSignal): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string, signal?: AbortSignal): Promise<Secret | undefined>;
  claim(namespace: string, name: string, signal?: AbortSignal): Promise<PersistentVolumeClaim | undefined>;
  persistentVolume(name: string, signal?: AbortSignal): Promise<PersistentVolume | undefined>;
  csiDriver(name: string, signal?: AbortSignal): Promise<CSIDriver | undefined>;
  volumeAttachment(name: string, signal?: AbortSignal): Promise<VolumeAttachment | undefined>;
  trustBundle(name: string, signal?: AbortSignal): Promise<ClusterTrustBundle | undefined>;
  trustBundlesOf(signerName: string, signal?: AbortSignal): Promise<readonly ClusterTrustBundle[]>;
  /** The volume of the claim has this size now. */
  claimExpanded(claim: PersistentVolumeClaim, size: string): Promise<void>;
  /** Of the status of this node, as last told. */
  volumesAttached(): readonly string[];
  /** The controller does not detach these. */
  writeVolumesInUse(names: readonly string[]): Promise<void>;
  /** A new token of a service account that is bound to the pod. */
  token(request: TokenRequestOptions): Promise<{ readonly token: string; readonly expiresAtMs: number }>;
  /** Those that a container names, read together. */
  namedObjects(
    namespace: string,
    names: { readonly configMaps: ReadonlySet<string>; readonly secrets: ReadonlySet<string> },
    signal?: AbortSignal,
  ): Promise<NamedObjects>;
  /** The runtime's name for a runtime class. Rejects when there is no such class. */
  runtimeHandler(runtimeClass: string): Promise<string>;
  /** All that are known; none without an API server. */
  services(): Iterable<Service>;
  /** Of this node. */
  allocatable(): Readonly<Record<string, string>>;
}

export interface TokenRequestOptions {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly pod: { readonly name: string; readonly uid: string };
  /** Empty for the API server. */
  readonly audience: string;
  readonly expirationSeconds: number;
}
