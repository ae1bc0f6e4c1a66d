/** From the command line and the documents that it names to what the agent is started with. */
import { hostname } from 'node:os';
import path from 'node:path';
import type { GateSettings } from '../../api/feature-gates.ts';
import { isIpText } from '../../machinery/formats/addresses.ts';
import { isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { fieldsByName, type FieldName, type NodeAgentConfig } from '../../node-agent/config/config.ts';
import { type ConfigSources, mergeConfig, sourceOf } from '../../node-agent/config/merge.ts';
import { withReservedCpus } from '../../node-agent/config/reserved-cpus.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { validateConfig } from '../../node-agent/config/validate.ts';
import { nodeLabelProblems } from '../../node-agent/node/node-labels.ts';
import { checkTracing } from '../../server/tracing/configuration.ts';
import type { OptionsOf } from '../flags/flag.ts';
import type { agentFlags } from '../flags/node-agent/agent.ts';
import { configSections } from '../flags/node-agent/config-flags.ts';
import { FlagError, type GivenFlags } from '../flags/parse.ts';
import { expandGates, featureGatesFlag, nodeGates } from '../flags/shared/feature-gates.ts';
import { UserError } from '../user-error.ts';
import { readConfigFile, readConfigFolder, readCredentialProviders } from './read-documents.ts';

export type AgentOptions = OptionsOf<typeof agentFlags>;

/** Rejects with {@link FlagError} or {@link UserError} for what cannot be used. */
export async function readSettings(options: AgentOptions, given: GivenFlags): Promise<NodeAgentSettings> {
  const { config: file, configDir } = options.agent;
  const sources: ConfigSources = {
    main: file === undefined ? undefined : await readConfigFile('config', file),
    dropIns: configDir === undefined ? [] : await readConfigFolder('config-dir', configDir),
    flags: fieldsOfFlags(options, given),
  };
  const config = mergeConfig(sources);
  const featureGates = checkedGates(config.featureGates, sources);
  checkConfig(config, featureGates, sources);
  const nodeName = nodeNameOf(options.agent.hostnameOverride);
  const problems = problemsOf(options, nodeName);
  if (problems.length > 0) throw new FlagError(problems);
  const { agent } = options;
  return {
    config: withReservedCpus(config),
    featureGates,
    nodeName,
    rootDir: path.resolve(agent.rootDir),
    certDir: path.resolve(given.has('cert-dir') ? agent.certDir : path.join(agent.rootDir, 'pki')),
    kubeconfig: agent.kubeconfig,
    bootstrapKubeconfig: agent.bootstrapKubeconfig,
    nodeIPs: agent.nodeIp,
    nodeLabels: agent.nodeLabels,
    hasExternalCloud: agent.cloudProvider === 'external',
    isSchedulable: agent.registerSchedulable,
    credentialProviders: await readCredentialProviders(agent),
    keepsEvictionThresholds: !agent.experimentalAllocatableIgnoreEviction,
    deadContainers: {
      perContainer: agent.maximumDeadContainersPerContainer,
      total: agent.maximumDeadContainers,
      minAgeMs: agent.minimumContainerTtlMs,
    },
    keepsTerminatedVolumes: agent.keepTerminatedPodVolumes,
    sandboxImage: agent.podInfraContainerImage ?? '',
    mounterPath: agent.experimentalMounterPath ?? '',
    runtimeCgroups: agent.runtimeCgroups ?? '',
    lockFile: agent.lockFile,
    exitsOnLockContention: agent.exitOnLockContention,
  };
}

/** What flags say of the fields of the configuration. */
function fieldsOfFlags(options: AgentOptions, given: GivenFlags): ConfigSources['flags'] {
  const flags = new Map<FieldName, { value: unknown; written: string }>();
  for (const group of Object.keys(configSections) as (keyof typeof configSections)[])
    for (const [name, value] of Object.entries(options[group])) {
      const written = given.get(fieldsByName.get(name)!.flag!);
      if (written !== undefined) flags.set(name, { value, written });
    }
  const gates = given.get('feature-gates');
  if (gates !== undefined) flags.set('featureGates', { value: options.gates.featureGates, written: gates });
  return flags;
}

function checkedGates(gates: GateSettings, sources: ConfigSources): GateSettings {
  const { parse } = featureGatesFlag(nodeGates);
  for (const [gate, isOn] of Object.entries(gates))
    try {
      parse(`${gate}=${isOn}`, undefined);
    } catch (error) {
      throw new UserError(`${sourceOf('featureGates', sources) ?? 'featureGates'}: ${(error as Error).message}`);
    }
  return expandGates(gates, nodeGates);
}

/** A flag is named as it was written, a field of a document with its file. */
function checkConfig(config: NodeAgentConfig, gates: GateSettings, sources: ConfigSources): void {
  const problems = validateConfig(config, gates).map(({ field, error }) => {
    const source = sourceOf(field, sources);
    return source === undefined ? fieldErrorText(error) : `${source}: ${fieldErrorText(error)}`;
  });
  const { tracing } = config;
  const checked = tracing === undefined ? undefined : checkTracing(tracing);
  if (Array.isArray(checked))
    for (const error of checked)
      problems.push(`${sourceOf('tracing', sources) ?? 'tracing'}: tracing.${fieldErrorText(error)}`);
  if (problems.length > 0) throw new FlagError(problems);
}

/** As upstream: what a host is called in another case is the same node. */
const nodeNameOf = (override: string | undefined): string => (override ?? hostname()).trim().toLowerCase();

function problemsOf({ agent }: AgentOptions, nodeName: string): string[] {
  const { nodeIp, cloudProvider } = agent;
  return [
    ...(nodeName === '' ? ['empty hostname is invalid: give --hostname-override'] : isDns1123Subdomain(nodeName)).map(
      (why) => `the name of the node ${JSON.stringify(nodeName)}: ${why}`,
    ),
    ...nodeIp.filter((ip) => !isIpText(ip)).map((ip) => `--node-ip: ${JSON.stringify(ip)} is no IP address`),
    ...(nodeIp.length > 2 ? [`--node-ip: must have at most 2 addresses, got ${nodeIp.length}`] : []),
    ...(nodeIp.length === 2 && nodeIp[0]!.includes(':') === nodeIp[1]!.includes(':')
      ? ['--node-ip: two addresses must be of different families']
      : []),
    ...(cloudProvider === '' || cloudProvider === 'external'
      ? []
      : [`--cloud-provider: unsupported value ${JSON.stringify(cloudProvider)}, must be external or empty`]),
    ...nodeLabelProblems(agent.nodeLabels),
    ...(agent.exitOnLockContention && agent.lockFile === undefined
      ? ['cannot specify --exit-on-lock-contention without also specifying --lock-file']
      : []),
  ];
}
