/** The whole node agent, configured as the one of the recordings was. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../src/cmd/testing/run-command.ts';
import { freePorts } from '../support/ports.ts';

export interface AgentProgram {
  readonly port: number;
  stop(): Promise<void>;
}

export interface AgentProgramOptions {
  /** Where its folders and the authority of its callers are. */
  readonly base: string;
  readonly hostIP: string;
  readonly kubeconfig: string;
  readonly nodeName: string;
  /** Of the container runtime. */
  readonly socket: string;
  /** Where static pods are. */
  readonly pages: string;
}

export async function startProgram(options: AgentProgramOptions): Promise<AgentProgram> {
  const { base, hostIP, kubeconfig, nodeName, socket, pages } = options;
  const [port = 0, healthzPort = 0] = await freePorts(2);
  const at = (name: string): string => path.join(base, name);
  await mkdir(at('root'), { recursive: true });
  await writeFile(at('resolv.conf'), 'nameserver 192.0.2.53\nsearch example.test\noptions timeout:1\n');
  await writeFile(
    at('agent.yaml'),
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: { anonymous: { enabled: false }, x509: { clientCAFile: 'nodes-ca.crt' } },
      authorization: { mode: 'Webhook' },
      containerRuntimeEndpoint: `unix://${socket}`,
      cgroupRoot: '/orch-recordings',
      failSwapOn: false,
      allowedUnsafeSysctls: ['net.core.somaxconn'],
      staticPodPath: at('static'),
      staticPodURL: pages,
      fileCheckFrequency: '2s',
      httpCheckFrequency: '2s',
      clusterDNS: ['10.0.0.10'],
      clusterDomain: 'cluster.local',
      syncFrequency: '5s',
      nodeStatusUpdateFrequency: '5s',
      serializeImagePulls: false,
      evictionHard: {
        'memory.available': '100Mi',
        'nodefs.available': '1%',
        'imagefs.available': '1%',
        'nodefs.inodesFree': '1%',
        'imagefs.inodesFree': '1%',
      },
      systemReserved: { cpu: '100m', memory: '256Mi' },
      kubeReserved: { cpu: '100m', memory: '256Mi' },
      podPidsLimit: 512,
      // The firewall of the machine is left alone.
      makeIPTablesUtilChains: false,
      maxPods: 60,
      containerLogMaxSize: '100Ki',
      containerLogMaxFiles: 3,
      containerLogMonitorInterval: '3s',
      podLogsDir: at('logs'),
      resolvConf: at('resolv.conf'),
      healthzPort,
      port,
    }),
  );
  const agent = runCommand([
    'node-agent',
    `--config=${at('agent.yaml')}`,
    `--kubeconfig=${kubeconfig}`,
    `--root-dir=${at('root')}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${hostIP}`,
    '--node-labels=disk=ssd,zone=z1',
  ]);
  await agent.says('the node is registered');
  return {
    port,
    async stop() {
      agent.interrupt('SIGTERM');
      await agent.exited;
    },
  };
}
