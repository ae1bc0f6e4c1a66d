/**
 * `EncryptionConfiguration`: which resources are encrypted in the store, and by which providers.
 * @see {@link
 *   https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/#apiserver-config-k8s-io-v1-EncryptionConfiguration
 *   | EncryptionConfiguration}
 */
export interface EncryptionConfiguration {
  readonly resources: readonly ResourceConfiguration[];
}

export interface ResourceConfiguration {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` (the core group), `*.*`. */
  readonly resources: readonly string[];
  /** The first writes, all read. */
  readonly providers: readonly ProviderConfiguration[];
}

/** One of them is there. */
export interface ProviderConfiguration {
  readonly aesgcm?: KeysConfiguration;
  readonly aescbc?: KeysConfiguration;
  readonly secretbox?: KeysConfiguration;
  readonly identity?: object;
  readonly kms?: KmsConfiguration;
}

export interface KeysConfiguration {
  readonly keys: readonly { readonly name: string /** In base64. */; readonly secret: string }[];
}

export interface KmsConfiguration {
  readonly apiVersion: string;
  readonly name: string;
  /** v1 only: how many decrypted keys are kept; negative for none. */
  readonly cacheSize: number | undefined;
  readonly endpoint: string;
  readonly timeoutMs: number;
}
