/** The node with real containers of `orch up --node`: this machine. */
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createCriClient } from '../../node-agent/runtime/cri-client.ts';
import { privateDirectoryMode } from '../../base/private-files.ts';
import { formatKubeconfig } from '../../client/format-kubeconfig.ts';
import type { ClientConfig } from '../../client/client-config.ts';
import { createClientPair, createServing, type Pki } from '../../pki/pki.ts';
import { daemonNames } from '../../pki/serving-names.ts';
import { writePrivateFile } from '../pki/files.ts';
import { UserError } from '../user-error.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface RealNode {
  /** Of the container runtime, `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** Of its agent. */
  readonly port: number;
}

/** Where container runtimes listen. */
const usualSockets = ['/run/containerd/containerd.sock', '/run/crio/crio.sock', '/run/cri-dockerd.sock'];
const answerMs = 3000;
const usualPort = 10_250;

/**
 * Where a container runtime answers; throws {@link UserError} where none does.
 * @param given `--container-runtime-endpoint`
 */
export async function findRuntime(
  given: string | undefined,
  sockets: readonly string[] = usualSockets,
): Promise<string> {
  if (given !== undefined) {
    const problem = await problemOf(given);
    if (problem === undefined) return given;
    throw new UserError(`--container-runtime-endpoint: ${given} does not answer: ${problem}`);
  }
  for (const socket of sockets) {
    const endpoint = `unix://${socket}`;
    if ((await problemOf(endpoint)) === undefined) return endpoint;
  }
  throw new UserError(
    `no container runtime answers at ${sockets.join(', ')}: install one (apt install containerd), or name its socket ` +
      'with --container-runtime-endpoint; docs/nodes.md says what a machine needs',
  );
}

async function problemOf(endpoint: string): Promise<string | undefined> {
  try {
    const { runtime, close } = createCriClient({ endpoint, requestTimeoutMs: answerMs });
    try {
      await runtime.version({ version: 'v1' });
      return undefined;
    } finally {
      close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

/** How the API server reaches the node. Writes what the flags name. */
export async function serverFlags(dataDir: string, pki: Pki): Promise<string[]> {
  const inPki = (name: string): string => join(dataDir, 'pki', name);
  const subject = { commonName: 'orch-apiserver-node-client', organization: 'system:masters' };
  const client = createClientPair(pki.ca, subject, new Date());
  await writePrivateFile(inPki('apiserver-node-client.crt'), client.certificate);
  await writePrivateFile(inPki('apiserver-node-client.key'), client.key);
  return [
    `--nodeagent-client-certificate=${inPki('apiserver-node-client.crt')}`,
    `--nodeagent-client-key=${inPki('apiserver-node-client.key')}`,
    `--nodeagent-certificate-authority=${inPki('ca.crt')}`,
    // The name of a machine is often known to itself alone.
    '--nodeagent-preferred-address-types=InternalIP,Hostname',
  ];
}

/** An agent takes what is below its root for its own: each agent of a machine has another one, as it has a port. */
const cgroupRootOf = (port: number): string => (port === usualPort ? '/orch-up' : `/orch-up-${port}`);

export interface NodeSurroundings {
  readonly dataDir: string;
  readonly pki: Pki;
  readonly admin: Pick<ClientConfig, 'url' | 'ca'>;
  readonly logFile: (name: string) => string;
}

/** Writes configuration, certificates and kubeconfig of the agent. */
export async function nodeProcess(
  { endpoint, port }: RealNode,
  { dataDir, pki, admin, logFile }: NodeSurroundings,
): Promise<SupervisedProcess> {
  const folder = join(dataDir, 'node');
  await mkdir(folder, { recursive: true, mode: privateDirectoryMode });
  const at = (name: string): string => join(folder, name);
  const name = hostname().trim().toLowerCase();
  const now = new Date();
  const client = createClientPair(pki.ca, { commonName: `system:node:${name}`, organization: 'system:nodes' }, now);
  const { dnsNames, ipAddresses } = daemonNames('0.0.0.0');
  const serving = createServing(pki.ca, { dnsNames: [...new Set([...dnsNames, name])], ipAddresses }, now);
  await writePrivateFile(
    at('kubeconfig'),
    formatKubeconfig({ url: admin.url, ca: admin.ca ?? pki.ca.certificate, client }),
  );
  await writePrivateFile(at('serving.crt'), serving.certificate);
  await writePrivateFile(at('serving.key'), serving.key);
  await writePrivateFile(
    at('config.yaml'),
    `${JSON.stringify(
      {
        apiVersion: 'kubelet.config.k8s.io/v1beta1',
        kind: 'KubeletConfiguration',
        authentication: { x509: { clientCAFile: join(dataDir, 'pki', 'ca.crt') } },
        cgroupRoot: cgroupRootOf(port),
        containerRuntimeEndpoint: endpoint,
        failSwapOn: false,
        healthzPort: 0,
        podLogsDir: at('logs'),
        port,
        tlsCertFile: 'serving.crt',
        tlsPrivateKeyFile: 'serving.key',
      },
      null,
      2,
    )}\n`,
  );
  return {
    name: 'node',
    args: [
      'node-agent',
      `--config=${at('config.yaml')}`,
      `--kubeconfig=${at('kubeconfig')}`,
      `--root-dir=${at('root')}`,
    ],
    logFile: logFile('node'),
  };
}
