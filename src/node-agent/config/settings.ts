/** All that a node agent is started with: its configuration, and what only flags say. */
import type { GateSettings } from '../../api/feature-gates.ts';
import type { CredentialProvider } from '../images/credentials/provider-config.ts';
import type { NodeAgentConfig } from './config.ts';

export interface NodeAgentSettings {
  readonly config: NodeAgentConfig;
  /** All that were set, `AllAlpha` and `AllBeta` spelled out; for `isGateOn`. */
  readonly featureGates: GateSettings;
  /** `--hostname-override`, or the host name: lower case, without white space. */
  readonly nodeName: string;
  /** Absolute. Folder of pods, plugins and states: `/var/lib/kubelet`. */
  readonly rootDir: string;
  /** Absolute. Folder of the certificates of the agent. */
  readonly certDir: string;
  /** None without API server: then only static pods run. */
  readonly kubeconfig: string | undefined;
  /** How a client certificate is asked for where there is none yet. */
  readonly bootstrapKubeconfig: string | undefined;
  /** `--node-ip`: one address, or one of each family. `0.0.0.0` and `::` name a family alone. */
  readonly nodeIPs: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** An external cloud provider says the addresses of the node. */
  readonly hasExternalCloud: boolean;
  /** Whether pods may be scheduled to the node when it is created. */
  readonly isSchedulable: boolean;
  /** Whether hard thresholds of eviction are kept back from pods. */
  readonly keepsEvictionThresholds: boolean;
  /** Programs that know the passwords of registries. */
  readonly credentialProviders: readonly CredentialProvider[];
  /** Of containers that have ended; negative for any number. */
  readonly deadContainers: { readonly perContainer: number; readonly total: number; readonly minAgeMs: number };
  readonly keepsTerminatedVolumes: boolean;
  /** Of sandboxes, beside the one that the runtime says; empty for none. */
  readonly sandboxImage: string;
  /** A program that is called in place of `mount` where a server is mounted; empty for none. */
  readonly mounterPath: string;
  /** Group that the container runtime runs in, for its figures; empty: none are told. */
  readonly runtimeCgroups: string;
  /** A file that only one agent has locked at a time. */
  readonly lockFile: string | undefined;
  /** The agent ends when another one waits for the lock. */
  readonly exitsOnLockContention: boolean;
}
