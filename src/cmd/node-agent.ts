/** `orch node-agent`: the agent of a node. It runs hollow nodes so far. */
import { KubeconfigError, createClient, loadKubeconfig } from '../client/index.ts';
import { versionInfo } from '../base/version.ts';
import { createHollowNodes } from '../node-agent/hollow/hollow-nodes.ts';
import type { Command, CommandContext } from './command.ts';
import { parseWithoutOperands } from './flags/api-server/options.ts';
import type { OptionsOf } from './flags/flag.ts';
import { formatHelp } from './flags/help.ts';
import { nodeAgentFlags } from './flags/node-agent.ts';
import { FlagError } from './flags/parse.ts';
import { logProblems } from './flags/shared/logs.ts';
import { watchInterrupts } from './interrupts.ts';
import { createLogger, levelOf } from './logging.ts';
import { readStages } from './read-stages.ts';
import { UserError } from './user-error.ts';
import { formatVersion } from './version.ts';

const about = `Runs hollow nodes: nodes of a cluster whose pods exist in the API alone, for tests, demonstrations and
runs at scale. Without --hollow it refuses to start: real containers come later.`;

type NodeAgentOptions = OptionsOf<typeof nodeAgentFlags>;

export const nodeAgent: Command = async (argv, context) => {
  const { options, warnings } = parseWithoutOperands('orch node-agent', nodeAgentFlags, argv);
  const { out, err, width } = context;
  const { help, version } = options.program;
  if (help) out(`${about}\n\nUsage: orch node-agent --hollow N [flags]\n\n${formatHelp(nodeAgentFlags, width)}`);
  else if (version !== 'no') out(formatVersion(version, versionInfo()));
  if (help || version !== 'no') return 0;
  checkOptions(options);
  for (const warning of warnings) err(`Warning: ${warning}\n`);
  return runHollowNodes(options, context);
};

function checkOptions({ hollow, logs }: NodeAgentOptions): void {
  if (hollow.count === 0) throw new UserError('orch node-agent runs hollow nodes only for now; add --hollow N');
  const problems = [
    hollow.count < 0 && '--hollow must be greater than 0',
    hollow.firstIndex < 0 && '--hollow-first-index must be greater than or equal to 0',
    hollow.runSeconds < 0 && '--hollow-run-seconds must be greater than or equal to 0',
    ...logProblems(logs, (name) => `--${name}`),
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new FlagError(problems);
}

async function runHollowNodes({ hollow, client: flags, logs }: NodeAgentOptions, context: CommandContext) {
  using interrupts = watchInterrupts(context);
  const log = await createLogger({ format: logs.format, level: levelOf(logs.verbosity), write: context.err });
  const stages = await readStages(hollow.stages);
  const { kubeconfig, qps, burst, contentType } = flags;
  await using client = createClient(await loadConfig(kubeconfig), { qps, burst, contentType, log });
  const nodes = createHollowNodes({ client, ...hollow, stages, log });
  nodes.start();
  log.info({ nodes: hollow.count, prefix: hollow.namePrefix, server: client.config.url }, 'hollow nodes started');
  const hold = setInterval(() => undefined, 2 ** 30);
  await interrupts.first;
  clearInterval(hold);
  log.info({}, 'stopping');
  await nodes.stop();
  return 0;
}

async function loadConfig(path: string | undefined) {
  try {
    return await loadKubeconfig(path === undefined ? {} : { path });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
