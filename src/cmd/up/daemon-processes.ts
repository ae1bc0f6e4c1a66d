/** The processes beside the API server of `orch up`: their credentials and their flags. */
import { join } from 'node:path';
import { createClientPair, type Pki } from '../../pki/pki.ts';
import type { Subject } from '../../pki/certificate.ts';
import { formatKubeconfig } from '../../client/format-kubeconfig.ts';
import type { ClientConfig } from '../../client/client-config.ts';
import { writePrivateFile } from '../pki/files.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface DaemonSurroundings {
  readonly dataDir: string;
  readonly pki: Pki;
  /** How the administrator reaches the API server. */
  readonly admin: Pick<ClientConfig, 'url' | 'ca'>;
  readonly hollowNodes: number;
  readonly logFile: (name: string) => string;
}

/** There is one of each on this machine, so there is no leader election. */
const alone = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=1000', '--kube-api-burst=2000'];

const subjects = {
  'controller-manager': { commonName: 'system:kube-controller-manager' },
  scheduler: { commonName: 'system:kube-scheduler' },
  // One process is many nodes.
  'hollow-nodes': { commonName: 'orch:hollow-nodes', organization: 'system:masters' },
} as const satisfies Readonly<Record<string, Subject>>;

/** In the order of their start. Writes a kubeconfig file for each. */
export async function daemonProcesses(surroundings: DaemonSurroundings): Promise<SupervisedProcess[]> {
  const { dataDir, pki, admin, hollowNodes, logFile } = surroundings;
  const kubeconfigs = new Map<string, string>();
  for (const [name, subject] of Object.entries(subjects)) {
    const file = join(dataDir, `${name}.kubeconfig`);
    const client = createClientPair(pki.ca, subject, new Date());
    await writePrivateFile(file, formatKubeconfig({ url: admin.url, ca: admin.ca ?? pki.ca.certificate, client }));
    kubeconfigs.set(name, `--kubeconfig=${file}`);
  }
  const inPki = (name: string): string => join(dataDir, 'pki', name);
  return [
    {
      name: 'controller manager',
      args: [
        'controller-manager',
        kubeconfigs.get('controller-manager')!,
        ...alone,
        '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
        '--use-service-account-credentials',
        `--service-account-private-key-file=${inPki('sa.key')}`,
        `--root-ca-file=${inPki('ca.crt')}`,
        `--cluster-signing-cert-file=${inPki('ca.crt')}`,
        `--cluster-signing-key-file=${inPki('ca.key')}`,
      ],
      logFile: logFile('controller-manager'),
    },
    {
      name: 'scheduler',
      args: ['scheduler', kubeconfigs.get('scheduler')!, ...alone],
      logFile: logFile('scheduler'),
    },
    ...(hollowNodes === 0
      ? []
      : [
          {
            name: 'hollow nodes',
            args: [
              'node-agent',
              kubeconfigs.get('hollow-nodes')!,
              `--hollow=${hollowNodes}`,
              '--port=0',
              '--healthz-port=0',
            ],
            logFile: logFile('hollow-nodes'),
          },
        ]),
  ];
}
