/** `orch node-agent --hollow N`: nodes whose pods exist in the API alone. */
import { once } from 'node:events';
import { KubeconfigError } from '../../client/kubeconfig/fields.ts';
import { loadKubeconfig } from '../../client/kubeconfig/load.ts';
import { createHollowNodes } from '../../node-agent/hollow/hollow-nodes.ts';
import type { Command } from '../command.ts';
import { createHollowMetrics } from '../../node-agent/hollow/metrics.ts';
import type { StageDocument } from '../../node-agent/hollow/stages/document.ts';
import { type ApiObserver, connectionTo } from '../daemon/api-connection.ts';
import { readDaemonCommandLine } from '../daemon/read-command-line.ts';
import { type LeadingDaemon } from '../daemon/daemon-spec.ts';
import { runDaemon } from '../daemon/run-daemon.ts';
import { flagValues } from '../flags/flag-values.ts';
import { hollowDaemon, hollowFlags, type HollowOptions, hollowProblems } from '../flags/node-agent/hollow.ts';
import { FlagError } from '../flags/parse.ts';
import { daemonGates, expandGates } from '../flags/shared/feature-gates.ts';
import { serveHealthPort } from './plain-health.ts';
import { readStages } from '../read-stages.ts';
import { UserError } from '../user-error.ts';

const about = `Runs hollow nodes: nodes of a cluster whose pods exist in the API alone, for tests, demonstrations and
runs at scale (docs/hollow-nodes.md). Without --hollow it is the agent of a node with real containers.`;

export const hollowNodes: Command = async (argv, context) => {
  const line = readDaemonCommandLine({ command: 'orch node-agent', about, flags: hollowFlags }, argv, context);
  if (line === undefined) return 0;
  const options = checked(line.options);
  const { serving, gates, hollow } = options;
  const stages = await readStages(hollow.stages);
  const { healthPort, healthAddress: address } = serving;
  return runDaemon(
    {
      name: 'kubelet',
      options: hollowDaemon(options),
      given: line.given,
      featureGates: expandGates(gates.featureGates, daemonGates),
      config: { name: 'hollow', value: { ...hollow, stages: hollow.stages ?? '' } },
      flags: () => flagValues(hollowFlags, options),
      elects: false,
      kubeconfigFlags: { authentication: 'kubeconfig', authorization: 'kubeconfig' },
      isPortOptional: !line.given.has('port'),
      findApi: async (parts) => connectionTo(await findConfig(parts.observer), parts),
      serveMore: (health, log) => serveHealthPort({ address, port: healthPort }, line.given, health, log),
      lead: (daemon) => run(daemon, { ...hollow, stages }),
    },
    context,
  );
};

type Hollow = Omit<HollowOptions['hollow'], 'stages'> & { readonly stages: readonly StageDocument[] };

/** Until the signal aborts. The nodes stay registered. */
async function run({ client, log, registry, signal }: LeadingDaemon, hollow: Hollow): Promise<void> {
  const metrics = createHollowMetrics(registry);
  const api = client();
  const nodes = createHollowNodes({ client: api, ...hollow, queues: metrics.queues, log });
  metrics.show(nodes);
  nodes.start();
  log.info({ nodes: hollow.count, prefix: hollow.namePrefix, server: api.config.url }, 'hollow nodes started');
  if (!signal.aborted) await once(signal, 'abort');
  await nodes.stop();
}

function checked(options: HollowOptions): HollowOptions {
  if (options.hollow.count === 0) throw new UserError('--hollow must be greater than 0');
  const problems = hollowProblems(options).filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new FlagError(problems);
  return options;
}

/** As kubectl finds its cluster. */
async function findConfig(observer: ApiObserver) {
  try {
    return await loadKubeconfig({ observer });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
