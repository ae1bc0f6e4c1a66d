/**
 * `orch up`: everything for one machine. On the first start it makes keys and certificates; a later start continues
 * with the same data and the same credentials.
 */
import { join, relative, resolve } from 'node:path';
import type { Logger } from '../base/logger.ts';
import { orchVersion, versionInfo } from '../base/version.ts';
import { assembleStartConfig } from './assemble.ts';
import type { Command, CommandContext } from './command.ts';
import type { StartConfig } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { localDefaultSections, withoutAccounts } from './flags/api-server/local-defaults.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { bool, int, optionalText, section, text, withDefault } from './flags/flag.ts';
import { FlagError, type GivenFlags } from './flags/parse.ts';
import { type ClusterNodes, runCluster } from './up/cluster.ts';
import { findRuntime, serverFlags as nodeServerFlags } from './up/real-node.ts';
import { type Interrupts, watchInterrupts } from './interrupts.ts';
import { adminKubeconfig } from '../client/format-kubeconfig.ts';
import { type AdjustableLogger, levelOf } from './logging.ts';
import { writePrivateFile } from './pki/files.ts';
import { ensurePki } from './pki/pki-files.ts';
import type { Pki } from '../pki/pki.ts';
import { servingNames } from '../pki/serving-names.ts';
import { UserError } from './user-error.ts';
import { loggerFor, type ReadCommandLine, readCommandLine, serverFlags, serveUntilStopped } from './server-command.ts';

const about = `Starts a cluster on this machine: API server, controller manager, scheduler and hollow nodes, whose pods
exist in the API alone, or with --node this machine as a node, whose pods run in containers. Keys, certificates and data
are in --data-dir; the API is reachable from this machine only unless --bind-address says otherwise. Ctrl-C stops it;
the next start continues with the same data.`;

/**
 * As for `orch apiserver`, but for this machine alone; and with authorization as clusters have it, because there are
 * service accounts.
 */
export const upFlags = {
  ...serverFlags,
  ...localDefaultSections,
  authorization: section(serverFlags.authorization.title, {
    ...serverFlags.authorization.flags,
    modes: withDefault(serverFlags.authorization.flags.modes, ['Node', 'RBAC']),
  }),
  nodeAgent: section(serverFlags.nodeAgent.title, {
    ...serverFlags.nodeAgent.flags,
    port: {
      ...serverFlags.nodeAgent.flags.port,
      deprecated: undefined,
      help: 'Where the agent of --node listens.',
    },
  }),
  local: section('Local control plane', {
    dataDir: text('data-dir', 'supported', {
      default: '.orch',
      help: 'Directory for everything that is kept: the data, pki/ with keys and certificates, and admin.kubeconfig.',
    }),
    hollowNodes: int('hollow-nodes', 'supported', {
      default: 2,
      help:
        'How many nodes without containers there are; with --node none unless given. With 0 there is the API server ' +
        'alone, without controllers and scheduler.',
    }),
    node: bool('node', 'supported', {
      help: 'Run this machine as a node with real containers, which needs root and a container runtime.',
    }),
    containerRuntimeEndpoint: optionalText('container-runtime-endpoint', 'supported', {
      help: 'Socket of the container runtime (CRI v1) of --node. Without it the first of the usual ones that answers.',
    }),
  }),
} as const;

export const up: Command = async (argv, context) => {
  const line = readCommandLine('orch up', about, upFlags, argv, context);
  if (line === undefined) return 0;
  const { completed, options, given } = line;
  const { out } = context;
  const nodes = await nodesOf(options.local as unknown as LocalOptions, options.nodeAgent.port, given);
  using interrupts = watchInterrupts(context);
  out(`orch ${orchVersion}, Kubernetes API ${versionInfo().gitVersion.split('+')[0]}\n`);
  const dataDir = resolve(options.local.dataDir);
  await prepareDataDir(dataDir);
  // Progress is what people want to see here; logs tell them of trouble, or of more when they ask.
  const logger = await loggerFor(options, given.has('v') ? levelOf(options.logs.verbosity) : 'warn', context);
  const { log } = logger;
  const pki = await ensureLocalPki(dataDir, completed.options, log);
  out(`  keys and certificates  ${shown(join(dataDir, 'pki'))}\n`);
  const local: Local = { line, dataDir, pki, logger, interrupts };
  const isAlone = nodes.hollow === 0 && nodes.real === undefined;
  const code = await (isAlone ? serveApi(local, context) : runAll(local, nodes, argv, context));
  out(code === 0 ? `Stopped. The data is in ${shown(dataDir)}.\n` : 'Stopped before it was ready.\n');
  return code;
};

interface LocalOptions {
  readonly hollowNodes: number;
  readonly node: boolean;
  readonly containerRuntimeEndpoint: string | undefined;
}

async function nodesOf(
  { hollowNodes, node, containerRuntimeEndpoint }: LocalOptions,
  port: number,
  given: GivenFlags,
): Promise<ClusterNodes> {
  if (hollowNodes < 0) throw new FlagError(['--hollow-nodes must be greater than or equal to 0']);
  const endpoint = containerRuntimeEndpoint === '' ? undefined : containerRuntimeEndpoint;
  if (!node && endpoint !== undefined) throw new FlagError(['--container-runtime-endpoint is for --node']);
  if (!node) return { hollow: hollowNodes, real: undefined };
  if (process.getuid?.() !== 0)
    throw new UserError('--node: containers need root, and this process is of another user');
  return { hollow: given.has('hollow-nodes') ? hollowNodes : 0, real: { endpoint: await findRuntime(endpoint), port } };
}

interface Local {
  readonly line: ReadCommandLine;
  readonly dataDir: string;
  readonly pki: Pki;
  readonly logger: AdjustableLogger;
  readonly interrupts: Interrupts;
}

/** The API server alone, in this process. */
async function serveApi({ line, dataDir, pki, logger, interrupts }: Local, context: CommandContext): Promise<number> {
  const { out } = context;
  context.tuneForLocalServer?.();
  const completed = { ...line.completed, options: withoutAccounts(line.completed.options) };
  const config = await assembleStartConfig(completed, {
    serving: () => Promise.resolve(pki.serving),
    pki,
    storeDirectory: join(dataDir, 'store'),
    log: logger.log,
    verbosity: logger,
    ownsProcess: true,
    signal: interrupts.signal,
  });
  out(`  store                  ${describeStore(config)}\n`);
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  return serveUntilStopped(
    {
      config,
      interrupts,
      onServing: async ({ url, ready }) => {
        await writePrivateFile(kubeconfig, adminKubeconfig(url, config.serving.tls.certificate.get(), pki));
        out(`  API server             ${url}\n`);
        await Promise.race([ready, interrupts.first]);
        if (!interrupts.signal.aborted) out(`\n${nextSteps(shown(kubeconfig), 'kubectl get namespaces')}`);
      },
      onStopping: () => out('\nStopping. Ctrl-C once more ends it at once.\n'),
    },
    context,
  );
}

/** Everything, each part in a process of its own. */
async function runAll(
  { line, dataDir, pki, interrupts }: Local,
  nodes: ClusterNodes,
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { disablePlugins } = line.options.admission;
  // Pods have accounts from the first one on: the controllers that make them are there.
  const accounts = disablePlugins.includes('ServiceAccount') ? [] : ['--enable-admission-plugins=ServiceAccount'];
  const isReal = nodes.real !== undefined;
  const reach = isReal ? await nodeServerFlags(dataDir, pki) : [];
  const withoutNode = isReal ? ['--node=false', '--container-runtime-endpoint='] : [];
  // What the user gave goes over how the node is reached, and under what makes the process an API server.
  const apiServerArgs = ['up', ...reach, ...argv, '--hollow-nodes=0', ...withoutNode, ...accounts];
  return runCluster(
    { dataDir, pki, apiServerArgs, nodes, shown },
    interrupts,
    () =>
      context.out(
        `\n${nextSteps(shown(join(dataDir, 'admin.kubeconfig')), 'kubectl create deployment web --image=nginx')}`,
      ),
    context,
  );
}

const ensureLocalPki = (dataDir: string, options: ApiServerOptions, log: Logger): Promise<Pki> =>
  ensurePki(
    join(dataDir, 'pki'),
    servingNames({ ...options.serving, serviceClusterIpRanges: options.services.clusterIpRanges }),
    new Date(),
    log,
  );

const describeStore = ({ store }: StartConfig): string =>
  store.kind === 'etcd'
    ? `etcd at ${store.servers.join(', ')}`
    : `embedded, ${store.directory === undefined ? 'in memory' : shown(store.directory)}`;

const nextSteps = (
  kubeconfig: string,
  command: string,
): string => `Ready. The administrator's kubeconfig is ${kubeconfig}. In another terminal:

  export KUBECONFIG=${quote(kubeconfig.startsWith('/') ? kubeconfig : `$PWD/${kubeconfig}`)}
  ${command}

Ctrl-C stops it; the next start continues with the same data.
`;

/** Relative where that is shorter to read. */
function shown(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}

const quote = (path: string): string =>
  /^[\w./$@%+=:,-]+$/.test(path) ? path : `"${path.replace(/["\\`]/g, '\\$&')}"`;
