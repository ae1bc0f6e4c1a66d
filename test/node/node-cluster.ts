/** A control plane with one real node, whose pods run in the sandbox. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { type Client, createClient, parseClientConfig } from '../../src/client/index.ts';
import { createEventRecorder } from '../../src/client/events/recorder.ts';
import { createControlPlane } from '../../src/index.ts';
import { createAuthority, createClientPair } from '../../src/pki/pki.ts';
import { readAdmissionMachine } from '../../src/node-agent/pods/admission/node-view.ts';
import { createPodManager, type PodManager } from '../../src/node-agent/pods/pod-manager.ts';
import { createCriClient } from '../../src/node-agent/runtime/cri-client.ts';
import type { ContainerRuntime } from '../../src/node-agent/runtime/container-runtime.ts';
import { serveImages } from './registry.ts';
import { type AgentProgram, startProgram } from './agent-program.ts';
import { servePods } from './static-pods.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

export const nodeName = 'golden-node';
export const namespace = 'golden';

export interface NodeCluster extends AsyncDisposable {
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly sandbox: Sandbox;
  readonly kubeconfigPath: string;
  readonly hostIP: string;
  /** Where the agent keeps what it has of pods. */
  readonly rootDirectory: string;
  readonly logDirectory: string;
  readonly workDirectory: string;
  /** Of images, `127.0.0.1:45678`. */
  readonly registry: string;
  /** A file of the folder of static pods, or with `/` what their address answers; null removes it. */
  setStatic(name: string, content: string | null): Promise<void>;
  startAgent(): Promise<void>;
  stopAgent(): Promise<void>;
  /** Resolves when all events so far are written. */
  flush(): Promise<void>;
  /** Of the agent's own port, where the whole program runs. */
  readonly port: number | undefined;
  /** With which the API server asks the agent. */
  readonly certificate: { readonly cert: string; readonly key: string };
}

export interface NodeClusterOptions {
  readonly bridge: string;
  readonly subnet: string;
  readonly log?: Logger;
  /** Two agents below one group would kill each other's pods. The recordings name `/`, the default. */
  readonly cgroupRoot?: string;
  /** Turned on in the API server and in the agent, which knows those of its `PodGates`. */
  readonly featureGates?: readonly ('InPlacePodVerticalScaling' | 'UserNamespacesSupport')[];
  /** The whole program runs, with its node and its port; else its pods alone. */
  readonly isProgram?: boolean;
}

/** What the recordings were made with. */
const allocatable = { cpu: '1800m', memory: '24000Mi', pods: '60', 'ephemeral-storage': '100Gi' };

export async function startNodeCluster({
  log = silentLogger,
  cgroupRoot = '/',
  featureGates = [],
  isProgram = false,
  ...network
}: NodeClusterOptions): Promise<NodeCluster> {
  const sandbox = await startSandbox(network);
  const base = await mkdtemp(path.join(tmpdir(), 'orch-node-'));
  const { flags: reach, certificate } = await identity(base);
  const controlPlane = await createControlPlane({
    // The node of a test of its pods alone is as ready as the test says, without heartbeats.
    controllers: isProgram ? ['*'] : ['*', '-node-lifecycle-controller'],
    flags: [
      '--service-cluster-ip-range=10.0.0.0/24',
      '--enable-admission-plugins=ServiceAccount',
      ...featureGates.map((gate) => `--feature-gates=${gate}=true`),
      ...reach,
    ],
  });
  const client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  const cri = createCriClient({ endpoint: sandbox.socket, requestTimeoutMs: 120_000 });
  const rootDirectory = path.join(base, 'root');
  const logDirectory = path.join(base, 'logs');
  const workDirectory = path.join(base, 'work');
  const staticDirectory = path.join(base, 'static');
  for (const directory of [rootDirectory, logDirectory, workDirectory, staticDirectory])
    await mkdir(directory, { recursive: true });
  const hostIP = ownAddress();
  if (!isProgram) await registerNode(client, hostIP);
  const machine = await readAdmissionMachine();
  const pages = await servePods();
  const registry = await serveImages(sandbox.directory, base);
  const memory = /MemTotal:\s+(\d+)/.exec(await readFile('/proc/meminfo', 'utf8'))![1]!;
  let agent: PodManager | undefined;
  let program: AgentProgram | undefined;
  const events = createEventRecorder({ client, component: 'kubelet', host: nodeName, log });
  const stopAgent = async (): Promise<void> => {
    await agent?.stop();
    await program?.stop();
    [agent, program] = [undefined, undefined];
  };
  return {
    client,
    runtime: cri.runtime,
    sandbox,
    kubeconfigPath: controlPlane.kubeconfigPath,
    hostIP,
    rootDirectory,
    logDirectory,
    workDirectory,
    registry: registry.host,
    async setStatic(name, content) {
      if (name.startsWith('/')) return pages.set(content ?? undefined);
      if (content === null) return rm(path.join(staticDirectory, name), { force: true });
      await writeFile(path.join(staticDirectory, name), content);
    },
    certificate,
    get port() {
      return program?.port;
    },
    async startAgent() {
      if (isProgram) {
        const kubeconfig = controlPlane.kubeconfigPath;
        program = await startProgram({ base, hostIP, kubeconfig, nodeName, socket: sandbox.socket, pages: pages.url });
        return;
      }
      agent = createPodManager({
        client,
        events,
        runtime: cri.runtime,
        config: {
          nodeName,
          rootDirectory,
          podLogsDirectory: logDirectory,
          containerLogsDirectory: path.join(base, 'containers'),
          dns: {
            clusterDns: ['10.0.0.10'],
            clusterDomain: 'cluster.local',
            resolvConf: { servers: ['192.0.2.53'], searches: ['example.test'], options: ['timeout:1'] },
          },
          cgroups: { root: cgroupRoot, driver: 'cgroupfs' },
          cgroupsPerQos: true,
          podPidsLimit: 512,
          resources: {
            cpuCfsQuota: true,
            cpuCfsQuotaPeriodUs: 100_000,
            memoryCapacity: BigInt(memory) * 1024n,
            isCgroupV2: false,
            hugePageSizes: [],
            killsSingleProcess: false,
            swap: undefined,
            memoryQos: undefined,
          },
          seccompDefault: false,
          gates: {
            hasUserNamespaces: featureGates.includes('UserNamespacesSupport'),
            hasResize: featureGates.includes('InPlacePodVerticalScaling'),
            hasImageVolumes: false,
            hasTrustBundles: false,
          },
          hasExclusiveResources: false,
          maxPods: 110,
          syncFrequencyMs: 5000,
          maxRestartDelayMs: 300_000,
          changeDetection: 'Watch',
          credentialProviders: [],
          staticPods: { path: staticDirectory, url: pages.url, headers: {}, fileCheckMs: 2000, urlCheckMs: 2000 },
          allowedUnsafeSysctls: ['net.core.somaxconn'],
          images: {
            isSerial: false,
            maxParallel: undefined,
            qps: 0,
            burst: 0,
            limits: { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
          },
          logs: { maxBytes: 102_400, maxFiles: 3, workers: 1, checkMs: 3000 },
          cpuReconcileMs: 10_000,
          watchesMemory: false,
          nodeLimits: { pods: {}, reserved: [], memoryReservedPercent: undefined },
          eviction: {
            hard: {
              'memory.available': '100Mi',
              'nodefs.available': '1%',
              'imagefs.available': '1%',
              'nodefs.inodesFree': '1%',
              'imagefs.inodesFree': '1%',
            },
            soft: {},
            softGraceMs: {},
            minimumReclaim: {},
            pressureTransitionMs: 300_000,
            maxPodGraceSeconds: 0,
            limitsStorage: true,
          },
          deadContainers: { perContainer: 1, total: -1, minAgeMs: 0 },
          keepsVolumes: false,
          sandboxImage: '',
          mounterPath: '',
          volumePluginDirectory: path.join(base, 'drivers'),
        },
        hostIPs: () => [hostIP],
        allocatable: () => allocatable,
        machine,
        clock: systemClock,
        nowMs: Date.now,
        random: Math.random,
        log,
      });
      await agent.start();
    },
    stopAgent,
    flush: () => events.flush(),
    async [Symbol.asyncDispose]() {
      await stopAgent();
      await events.stop();
      cri.close();
      await client.close();
      await controlPlane.close();
      await pages.close();
      await registry.close();
      await sandbox.stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Of the API server, as nodes know it. */
async function identity(base: string) {
  const now = new Date();
  const ca = createAuthority({ commonName: 'orch-ca' }, now);
  const pair = createClientPair(ca, { commonName: 'api-server', organization: 'system:masters' }, now);
  const at = (name: string): string => path.join(base, name);
  await writeFile(at('nodes-ca.crt'), ca.certificate);
  await writeFile(at('api-server.crt'), pair.certificate);
  await writeFile(at('api-server.key'), pair.key);
  return {
    certificate: { cert: pair.certificate, key: pair.key },
    flags: [
      `--nodeagent-client-certificate=${at('api-server.crt')}`,
      `--nodeagent-client-key=${at('api-server.key')}`,
      '--nodeagent-preferred-address-types=InternalIP',
    ],
  };
}

const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('10.'))?.address ??
  '127.0.0.1';

async function registerNode(client: Client, hostIP: string): Promise<void> {
  await client.core.v1.nodes.create({
    metadata: {
      name: nodeName,
      labels: { disk: 'ssd', zone: 'z1', 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': nodeName },
    },
  });
  const now = new Date().toISOString().replace(/\.\d+/, '');
  await client.core.v1.nodes.status.patch(nodeName, {
    merge: {
      status: {
        capacity: allocatable,
        allocatable,
        addresses: [{ type: 'InternalIP', address: hostIP }],
        conditions: [
          { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now, reason: 'KubeletReady' },
        ],
      },
    },
  });
}
