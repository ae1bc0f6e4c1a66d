/** The flags of `orch node-agent`: those of hollow nodes so far. */
import { capacityFrom, defaultCapacity, type NodeCapacity } from '../../node-agent/hollow/nodes/capacity.ts';
import { defaultNamePrefix } from '../../node-agent/hollow/nodes/node-addresses.ts';
import { customFlag, float, int, optionalText, section, text } from './flag.ts';
import { logs } from './shared/logs.ts';
import { program } from './shared/program.ts';

const labelsOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    value.split(',').map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      if (name === '' || rest.length === 0) throw new Error(`must be pairs of the form name=value, got ${pair}`);
      return [name.trim(), rest.join('=').trim()];
    }),
  );

export const nodeAgentFlags = {
  hollow: section('Hollow nodes', {
    count: int('hollow', 'supported', { help: 'How many nodes without containers this process is.' }),
    namePrefix: text('hollow-name-prefix', 'supported', {
      default: defaultNamePrefix,
      help: 'What the names of the nodes begin with; a number follows.',
    }),
    firstIndex: int('hollow-first-index', 'supported', {
      help: 'The number of the first node, for several processes with one prefix.',
    }),
    stages: optionalText('stages', 'supported', {
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
  client: section('Client', {
    kubeconfig: optionalText('kubeconfig', 'supported', {
      help: 'The kubeconfig file; as kubectl finds it when absent.',
    }),
    qps: float('kube-api-qps', 'supported', { help: 'Requests per second at most; 0 for no limit.' }),
    burst: int('kube-api-burst', 'supported', { default: 100, help: 'Requests at once above that.' }),
    contentType: text('kube-api-content-type', 'supported', {
      default: 'application/vnd.kubernetes.protobuf',
      help: 'How objects are sent and asked for.',
    }),
  }),
  logs,
  program,
} as const;
