/**
 * The flags of `orch node-agent` with real containers: those that set fields of the configuration, and those that only
 * the command line has.
 */
import { bool, customFlag, duration, file, int, optionalText, section, strings, text } from '../flag.ts';
import { daemonDebugging } from '../shared/debugging.ts';
import { featureGatesFlag, nodeGates } from '../shared/feature-gates.ts';
import { logs } from '../shared/logs.ts';
import { program } from '../shared/program.ts';
import { configSections } from './config-flags.ts';
import { labelsOf } from './labels.ts';

/** Below the folder of the node agent of the original, so that its plugins find theirs. */
const rootDir = '/var/lib/kubelet';

const agent = section('Node agent', {
  config: file('config', 'supported', {
    help: 'A NodeAgentConfiguration or KubeletConfiguration document. Flags go over it.',
  }),
  configDir: file('config-dir', 'supported', {
    help: 'Folder of more such documents: files that end with .conf. By their names, each goes over those before it.',
  }),
  kubeconfig: file('kubeconfig', 'supported', {
    help: 'How to reach the API server. Without it the agent runs static pods alone.',
  }),
  bootstrapKubeconfig: file('bootstrap-kubeconfig', 'supported', {
    help: 'How to ask for a client certificate where --kubeconfig is not there or its certificate has expired.',
  }),
  rootDir: text('root-dir', 'supported', { default: rootDir, help: 'Folder of pods, volumes and plugins.' }),
  certDir: text('cert-dir', 'supported', {
    default: `${rootDir}/pki`,
    help: 'Folder of the certificates that the agent makes or asks for.',
  }),
  hostnameOverride: optionalText('hostname-override', 'supported', {
    help: 'Name of the node in place of the host name.',
  }),
  nodeIp: strings('node-ip', 'supported', {
    help: 'Address of the node, or one of each family; 0.0.0.0 or :: for the default one of a family.',
  }),
  nodeLabels: customFlag<Readonly<Record<string, string>>>(
    'node-labels',
    'supported',
    { default: {}, help: 'Labels of the node: name=value, comma separated.' },
    { type: 'name=value', parse: (value, before) => ({ ...before, ...labelsOf(value) }), format: () => '' },
  ),
  cloudProvider: text('cloud-provider', 'supported', {
    default: '',
    help: 'external where a cloud controller manager says the addresses and the zone of the node.',
  }),
  registerSchedulable: bool('register-schedulable', 'supported', {
    default: true,
    help: 'Whether pods may be scheduled to the node when it is created.',
    deprecated: 'use --register-with-taints',
  }),
  lockFile: optionalText('lock-file', 'supported', { help: 'A file that only one agent can have locked.' }),
  exitOnLockContention: bool('exit-on-lock-contention', 'supported', {
    help: 'End when another process waits for the lock.',
  }),
  runtimeCgroups: optionalText('runtime-cgroups', 'supported', {
    help: 'Group of the container runtime, whose figures /stats/summary has then.',
  }),
  imageCredentialProviderConfig: file('image-credential-provider-config', 'supported', {
    help: 'A CredentialProviderConfig document: programs that know the passwords of registries.',
  }),
  imageCredentialProviderBinDir: file('image-credential-provider-bin-dir', 'supported', {
    help: 'Folder of these programs.',
  }),
  maximumDeadContainers: int('maximum-dead-containers', 'supported', {
    default: -1,
    help: 'How many ended containers stay. -1 means any number.',
  }),
  maximumDeadContainersPerContainer: int('maximum-dead-containers-per-container', 'supported', {
    default: 1,
    help: 'How many ended instances of a container stay.',
  }),
  minimumContainerTtlMs: duration('minimum-container-ttl-duration', 'supported', {
    help: 'How long ended containers stay at least.',
  }),
  podInfraContainerImage: optionalText('pod-infra-container-image', 'supported', {
    help: 'Image that is not removed though no container uses it, beside the one that the container runtime says.',
  }),
  keepTerminatedPodVolumes: bool('keep-terminated-pod-volumes', 'supported', {
    help: 'Leave volumes of ended pods mounted until the pods are deleted.',
  }),
  experimentalMounterPath: optionalText('experimental-mounter-path', 'supported', {
    help: 'A program that is called with the command mount and its arguments, for NFS.',
  }),
  experimentalAllocatableIgnoreEviction: bool('experimental-allocatable-ignore-eviction', 'supported', {
    help: 'Do not keep hard thresholds of eviction back from pods.',
  }),
});

export const agentFlags = {
  agent,
  ...configSections,
  gates: section('Feature gates', { featureGates: featureGatesFlag(nodeGates) }),
  debugging: section('Debugging', {
    eventLoopStallThresholdMs: daemonDebugging.flags.eventLoopStallThresholdMs,
  }),
  logs,
  program,
} as const;
