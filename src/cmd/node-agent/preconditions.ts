/** What has to be right with the machine before the agent of a node starts, and what it sets of its own process. */
import { writeFile } from 'node:fs/promises';
import { describeFileError } from '../../base/file-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { nodeIpProblem } from '../../node-agent/node/addresses.ts';
import { readSwaps } from '../../node-agent/node/read-machine.ts';
import { prepareDataDir } from '../data-dir.ts';
import { UserError } from '../user-error.ts';
import { hostNetwork } from './host-network.ts';

/** @param root in front of `/proc`, for tests */
export async function checkMachine({ config, rootDir, nodeIPs, hasExternalCloud }: NodeAgentSettings, root = '/') {
  if (config.failSwapOn) {
    const swaps = await readSwaps(root);
    if (swaps.length > 0)
      throw new UserError(
        'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false: ' +
          `/proc/swaps contains ${swaps.map((line) => line.split(/\s/, 1)[0]).join(', ')}`,
      );
  }
  const own = hostNetwork.interfaceAddresses();
  const problems = hasExternalCloud
    ? []
    : nodeIPs.map((ip) => nodeIpProblem(ip, own)).filter((why) => why !== undefined);
  if (problems.length > 0) throw new UserError(`--node-ip: ${problems.join(', ')}`);
  await prepareDataDir(rootDir, '--root-dir');
}

/** A machine that does not let its processes do so says it once. */
export async function setOomScore({ config }: NodeAgentSettings, log: Logger): Promise<void> {
  const { oomScoreAdj: score } = config;
  try {
    await writeFile('/proc/self/oom_score_adj', String(score));
  } catch (error) {
    log.warn({ oomScoreAdj: score, reason: describeFileError(error) }, 'oom_score_adj could not be set');
  }
}
