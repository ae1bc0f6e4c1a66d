/** `orch node-agent`: the agent of a node. It runs hollow nodes so far. */
import { createClient } from '../client/client.ts';
import { KubeconfigError } from '../client/kubeconfig/fields.ts';
import { loadKubeconfig } from '../client/kubeconfig/load.ts';
import type { Logger } from '../base/logger.ts';
import { createHollowNodes } from '../node-agent/hollow/hollow-nodes.ts';
import type { Command } from './command.ts';
import { openConnection } from './daemon/api-connection.ts';
import { readDaemonCommandLine } from './daemon/read-command-line.ts';
import type { OptionsOf } from './flags/flag.ts';
import { nodeAgentFlags, nodeAgentProblems } from './flags/node-agent.ts';
import { FlagError } from './flags/parse.ts';
import { type ClientConnectionOptions, masterUrl, rateLimits } from './flags/shared/client-connection.ts';
import { watchInterrupts } from './interrupts.ts';
import { logOutput } from './log-output.ts';
import { createLogger, levelOf } from './logging.ts';
import { readStages } from './read-stages.ts';
import { UserError } from './user-error.ts';

const about = `Runs hollow nodes: nodes of a cluster whose pods exist in the API alone, for tests, demonstrations and
runs at scale (docs/hollow-nodes.md). Nodes with real containers come later: without --hollow it does not start.`;

export const nodeAgent: Command = async (argv, context) => {
  const line = readDaemonCommandLine({ command: 'orch node-agent', about, flags: nodeAgentFlags }, argv, context);
  if (line === undefined) return 0;
  const { hollow, client: connection, logs } = checked(line.options);
  using interrupts = watchInterrupts(context);
  const stages = await readStages(hollow.stages);
  const log = await createLogger({
    format: logs.format,
    level: levelOf(logs.verbosity),
    write: logOutput(logs, context),
  });
  await using api = await connect(connection, log);
  const nodes = createHollowNodes({ client: api.client, ...hollow, stages, log });
  nodes.start();
  const { client } = api;
  log.info({ nodes: hollow.count, prefix: hollow.namePrefix, server: client.config.url }, 'hollow nodes started');
  // Timers of a clock do not keep the process alive while the API server is away.
  const hold = setInterval(() => undefined, 2 ** 30);
  await interrupts.first;
  clearInterval(hold);
  log.info({}, 'stopping');
  await nodes.stop();
  return 0;
};

function checked(options: OptionsOf<typeof nodeAgentFlags>): typeof options {
  if (options.hollow.count === 0) throw new UserError('orch node-agent runs hollow nodes only for now; add --hollow N');
  const problems = nodeAgentProblems(options).filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new FlagError(problems);
  return options;
}

/** Without --kubeconfig and --master: as kubectl finds its cluster. */
async function connect({ kubeconfig, master, contentType, ...limits }: ClientConnectionOptions, log: Logger) {
  const options = { ...rateLimits(limits), contentType, userAgent: 'kubelet', log };
  const url = master === undefined ? undefined : masterUrl(master);
  const connection = await openConnection({ flag: 'kubeconfig', kubeconfig, master: url }, log);
  const client = connection?.client(options) ?? createClient(await findConfig(), options);
  const close = async (): Promise<void> => {
    await client.close();
    await connection?.close();
  };
  return { client, [Symbol.asyncDispose]: close };
}

async function findConfig() {
  try {
    return await loadKubeconfig();
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
