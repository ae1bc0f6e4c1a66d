/**
 * The port to the container runtime as far as the status of the node asks of it. Each call rejects where the runtime
 * does.
 */

export interface RuntimeVersion {
  /** `containerd` */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

export interface RuntimeCondition {
  /** `RuntimeReady` or `NetworkReady`; runtimes have others, too. */
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeHandlerInfo {
  /** Empty for the default one. */
  readonly name: string;
  readonly features?: { readonly recursiveReadOnlyMounts?: boolean; readonly userNamespaces?: boolean } | undefined;
}

export interface RuntimeStatusReport {
  readonly conditions: readonly RuntimeCondition[];
  readonly runtimeHandlers: readonly RuntimeHandlerInfo[];
  readonly features?: { readonly supplementalGroupsPolicy?: boolean } | undefined;
}

export interface RuntimeImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  /** Bytes. */
  readonly size: number;
}

export interface RuntimeFilesystem {
  readonly mountpoint: string;
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

export interface NodeRuntime {
  version(): Promise<RuntimeVersion>;
  status(): Promise<RuntimeStatusReport>;
  listImages(): Promise<readonly RuntimeImage[]>;
  imageFsInfo(): Promise<{
    readonly imageFilesystems: readonly RuntimeFilesystem[];
    readonly containerFilesystems: readonly RuntimeFilesystem[];
  }>;
  /** Tells the runtime the range of pod addresses of this node. */
  updatePodCidr(podCidr: string): Promise<void>;
}
