/** The flags of `orch node-agent`: those of hollow nodes so far. */
import { goQuote } from '../../machinery/go-quote.ts';
import { capacityFrom, defaultCapacity, type NodeCapacity } from '../../node-agent/hollow/nodes/capacity.ts';
import { defaultNamePrefix } from '../../node-agent/hollow/nodes/node-addresses.ts';
import { customFlag, file, float, int, type OptionsOf, section, text } from './flag.ts';
import { clientConnectionFlags, clientConnectionProblems } from './shared/client-connection.ts';
import { logProblems, logs } from './shared/logs.ts';
import type { Problems } from './shared/problems.ts';
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
  client: section('API server', clientConnectionFlags({ qps: -1, burst: 100 })),
  logs,
  program,
} as const;

const spelled = (name: string): string => `--${name}`;

export const nodeAgentProblems = ({ hollow, client, logs }: OptionsOf<typeof nodeAgentFlags>): Problems => [
  hollow.count < 0 && '--hollow must be greater than 0',
  hollow.firstIndex < 0 && '--hollow-first-index must be greater than or equal to 0',
  hollow.runSeconds < 0 && '--hollow-run-seconds must be greater than or equal to 0',
  !/^[a-z0-9]([-a-z0-9.]*)$/.test(hollow.namePrefix) &&
    `--hollow-name-prefix ${goQuote(hollow.namePrefix)} is not the beginning of a name of nodes`,
  ...clientConnectionProblems(client, spelled),
  ...logProblems(logs, spelled),
];
