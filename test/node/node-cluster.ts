/** A control plane with one real node, whose pods run in the sandbox. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../src/base/logger.ts';
import { type Client, createClient, parseClientConfig } from '../../src/client/index.ts';
import { createEventRecorder } from '../../src/client/events/recorder.ts';
import { createControlPlane } from '../../src/index.ts';
import { readAdmissionMachine } from '../../src/node-agent/pods/admission/node-view.ts';
import { createPodManager, type PodManager } from '../../src/node-agent/pods/pod-manager.ts';
import { createCriClient } from '../../src/node-agent/runtime/cri-client.ts';
import type { ContainerRuntime } from '../../src/node-agent/runtime/container-runtime.ts';
import { servePods } from './static-pods.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

export const nodeName = 'golden-node';

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
  /** A file of the folder of static pods, or with `/` what their address answers; null removes it. */
  setStatic(name: string, content: string | null): Promise<void>;
  startAgent(): Promise<void>;
  stopAgent(): Promise<void>;
  /** Resolves when all events so far are written. */
  flush(): Promise<void>;
}

export interface NodeClusterOptions {
  readonly bridge: string;
  readonly subnet: string;
  readonly log?: Logger;
}

/** What the recordings were made with. */
const allocatable = { cpu: '1800m', memory: '24000Mi', pods: '60', 'ephemeral-storage': '100Gi' };

export async function startNodeCluster({ log = silentLogger, ...network }: NodeClusterOptions): Promise<NodeCluster> {
  const sandbox = await startSandbox(network);
  const controlPlane = await createControlPlane({
    // The node of a test is as ready as the test says, without heartbeats.
    controllers: ['*', '-node-lifecycle-controller'],
    flags: ['--service-cluster-ip-range=10.0.0.0/24', '--enable-admission-plugins=ServiceAccount'],
  });
  const client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  const cri = createCriClient({ endpoint: sandbox.socket, requestTimeoutMs: 120_000 });
  const base = await mkdtemp(path.join(tmpdir(), 'orch-node-'));
  const rootDirectory = path.join(base, 'root');
  const logDirectory = path.join(base, 'logs');
  const workDirectory = path.join(base, 'work');
  const staticDirectory = path.join(base, 'static');
  for (const directory of [rootDirectory, logDirectory, workDirectory, staticDirectory])
    await mkdir(directory, { recursive: true });
  const hostIP = ownAddress();
  await registerNode(client, hostIP);
  const machine = await readAdmissionMachine();
  const pages = await servePods();
  const memory = /MemTotal:\s+(\d+)/.exec(await readFile('/proc/meminfo', 'utf8'))![1]!;
  let agent: PodManager | undefined;
  const events = createEventRecorder({ client, component: 'kubelet', host: nodeName, log });
  const stopAgent = async (): Promise<void> => {
    await agent?.stop();
    agent = undefined;
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
    async setStatic(name, content) {
      if (name.startsWith('/')) return pages.set(content ?? undefined);
      if (content === null) return rm(path.join(staticDirectory, name), { force: true });
      await writeFile(path.join(staticDirectory, name), content);
    },
    async startAgent() {
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
          cgroups: { root: '/', driver: 'cgroupfs' },
          cgroupsPerQos: true,
          podPidsLimit: 512,
          resources: {
            cpuCfsQuota: true,
            cpuCfsQuotaPeriodUs: 100_000,
            memoryCapacity: BigInt(memory) * 1024n,
            isCgroupV2: false,
          },
          seccompDefault: false,
          syncFrequencyMs: 5000,
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
      await sandbox.stop();
      await rm(base, { recursive: true, force: true });
    },
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
