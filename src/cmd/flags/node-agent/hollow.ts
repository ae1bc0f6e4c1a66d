/** The flags of `orch node-agent --hollow`. */
import { goQuote } from '../../../machinery/go-quote.ts';
import { capacityFrom, defaultCapacity, type NodeCapacity } from '../../../node-agent/hollow/nodes/capacity.ts';
import { defaultNamePrefix } from '../../../node-agent/hollow/nodes/node-addresses.ts';
import { labelsOf } from './labels.ts';
import { customFlag, file, float, int, ip, type OptionsOf, section, type Sections, text } from '../flag.ts';
import { inRange } from '../in-range.ts';
import { parseFlags } from '../parse.ts';
import { clientConnectionFlags, clientConnectionProblems } from '../shared/client-connection.ts';
import { type DaemonOptions, daemonSections } from '../shared/daemon.ts';
import { daemonDebugging, debuggingProblems } from '../shared/debugging.ts';
import { daemonGates, featureGatesFlag } from '../shared/feature-gates.ts';
import { logProblems, logs } from '../shared/logs.ts';
import { metricProblems, metrics } from '../shared/metrics.ts';
import type { Problems } from '../shared/problems.ts';
import { program } from '../shared/program.ts';
import {
  http2Flags,
  http2Problems,
  listenFlags,
  listenProblems,
  servingCertificateFlags,
  servingCertificateProblems,
  socketSharingFlags,
  socketSharingProblems,
  tlsFlags,
  tlsProblems,
} from '../shared/secure-serving.ts';

const { bindAddress, securePort, ...tls } = {
  ...listenFlags({ securePort: 10250 }, 'optional'),
  ...servingCertificateFlags('kubelet', { certDir: '' }),
  ...tlsFlags,
  ...http2Flags,
  ...socketSharingFlags,
};

/** Under the names that the flags of a node agent have. */
const servingFlags = {
  bindAddress: { ...bindAddress, name: 'address', aliases: ['bind-address'] },
  securePort: {
    ...securePort,
    name: 'port',
    aliases: ['secure-port'],
    help:
      'HTTPS port of health, metrics and profiles; 0 switches it off. Unless it is given, the process goes on ' +
      'without it where another one has the port.',
  },
  ...tls,
};

export const hollowFlags = {
  hollow: section('Hollow nodes', {
    count: int('hollow', 'supported', { help: 'How many nodes without containers this process is.' }),
    namePrefix: text('hollow-name-prefix', 'supported', {
      default: defaultNamePrefix,
      help: 'What the names of the nodes begin with; a number follows.',
    }),
    firstIndex: int('hollow-first-index', 'supported', {
      help: 'The number of the first node, for several processes with one prefix.',
    }),
    stages: file('stages', 'supported', {
      help: "A file of Stage documents (kwok's, or orch.io/v1alpha1): what pods and nodes go through.",
    }),
    runSeconds: float('hollow-run-seconds', 'supported', {
      default: 1,
      help: 'How long pods of jobs run that have no annotation orch.io/hollow-run-seconds.',
    }),
    capacity: customFlag<NodeCapacity>(
      'hollow-capacity',
      'supported',
      { default: defaultCapacity, help: 'What a node has, such as cpu=32,memory=256Gi,pods=110.' },
      { type: 'mapStringString', parse: (value) => capacityFrom(labelsOf(value)), format: () => '' },
    ),
    labels: customFlag<Readonly<Record<string, string>>>(
      'node-labels',
      'supported',
      { default: {}, help: 'Labels of the nodes, in addition to those that every node has.' },
      { type: 'mapStringString', parse: (value, before) => ({ ...before, ...labelsOf(value) }), format: () => '' },
    ),
  }),
  serving: section('Serving', {
    ...servingFlags,
    healthAddress: ip('healthz-bind-address', 'supported', {
      default: '127.0.0.1',
      help: 'Address that /healthz is served on without TLS and authentication.',
    }),
    healthPort: int('healthz-port', 'supported', { default: 10248, help: 'Port of /healthz. 0 switches it off.' }),
    clientCaFile: file('client-ca-file', 'supported', {
      help: 'PEM file of the authorities whose client certificates say who a caller is.',
    }),
  }),
  client: section('API server', clientConnectionFlags({ qps: -1, burst: 100 })),
  gates: section('Feature gates', { featureGates: featureGatesFlag(daemonGates) }),
  debugging: daemonDebugging,
  logs,
  metrics,
  program,
} as const;

const names: Readonly<Record<string, string>> = { 'bind-address': 'address', 'secure-port': 'port' };
const spelled = (name: string): string => `--${names[name] ?? name}`;

export type HollowOptions = OptionsOf<typeof hollowFlags>;

/** As the kernel of daemons takes them: callers are known and authorized by the API server of the nodes. */
export function hollowDaemon({ serving, client, debugging, logs, metrics }: HollowOptions): DaemonOptions {
  const { authentication, authorization, leaderElection } = defaultsOf(
    daemonSections({
      securePort: 10250,
      pairName: 'kubelet',
      lock: { namespace: 'kube-system', name: 'kubelet' },
      tolerateLookupFailure: true,
    }),
  );
  return {
    serving,
    client,
    debugging,
    logs,
    metrics,
    leaderElection,
    authentication: {
      ...authentication,
      kubeconfig: client.kubeconfig,
      skipLookup: true,
      clientCaFile: serving.clientCaFile,
    },
    authorization: { ...authorization, kubeconfig: client.kubeconfig },
  };
}

const defaultsOf = <S extends Sections>(sections: S): OptionsOf<S> => parseFlags(sections, []).options;

export const hollowProblems = ({ hollow, serving, client, debugging, logs, metrics }: HollowOptions): Problems => [
  hollow.count < 0 && '--hollow must be greater than 0',
  hollow.firstIndex < 0 && '--hollow-first-index must be greater than or equal to 0',
  hollow.runSeconds < 0 && '--hollow-run-seconds must be greater than or equal to 0',
  !/^[a-z0-9]([-a-z0-9.]*)$/.test(hollow.namePrefix) &&
    `--hollow-name-prefix ${goQuote(hollow.namePrefix)} is not the beginning of a name of nodes`,
  ...clientConnectionProblems(client, spelled),
  ...listenProblems(serving, spelled, 'optional'),
  ...servingCertificateProblems(serving),
  ...tlsProblems(serving, spelled),
  ...http2Problems(serving, spelled),
  ...socketSharingProblems(serving, spelled),
  !inRange(serving.healthPort, 0, 65535) &&
    `--healthz-port ${serving.healthPort} must be between 0 and 65535, inclusive. 0 for turning off the port`,
  ...debuggingProblems(debugging, spelled),
  ...logProblems(logs, spelled),
  ...metricProblems(metrics, spelled),
];
