/** What has to be right with the machine before the agent of a node starts, and what it sets of its own process. */
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFileError } from '../../base/file-error.ts';
import type { Logger } from '../../base/logger.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import type { NodeAgentConfig } from '../../node-agent/config/config.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { nodeIpProblem } from '../../node-agent/node/addresses.ts';
import { setParameters, wrongParameters } from '../../node-agent/node/kernel-parameters.ts';
import { limitOpenFiles } from '../../node-agent/node/open-files.ts';
import { readSwaps } from '../../node-agent/node/read-machine.ts';
import { isUnified } from '../../node-agent/pods/configure-pods.ts';
import { CgroupFiles } from '../../node-agent/resources/cgroups/cgroup-files.ts';
import { placeProcesses } from '../../node-agent/resources/cgroups/system-groups.ts';
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
  await checkKernel(config, root);
  const own = hostNetwork.interfaceAddresses();
  const problems = hasExternalCloud
    ? []
    : nodeIPs.map((ip) => nodeIpProblem(ip, own)).filter((why) => why !== undefined);
  if (problems.length > 0) throw new UserError(`--node-ip: ${problems.join(', ')}`);
  await prepareDataDir(rootDir, '--root-dir');
}

async function checkKernel(config: NodeAgentSettings['config'], root: string): Promise<void> {
  const unified = await unifiedControllers(root);
  if (unified === undefined && config.failCgroupV1)
    throw new UserError(
      'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is in maintenance mode',
    );
  if (unified === undefined && config.singleProcessOOMKill === false)
    throw new UserError(
      'invalid configuration: singleProcessOOMKill must not be explicitly set to false when using cgroup v1',
    );
  const wrong = config.protectKernelDefaults ? await wrongParameters(root) : [];
  if (wrong.length > 0) throw new UserError(`--protect-kernel-defaults: ${wrong.join(', ')}`);
}

/** What the agent sets of the machine before it runs pods. */
export async function prepareMachine({ config }: NodeAgentSettings, log: Logger): Promise<void> {
  await limitOpenFiles({ most: config.maxOpenFiles, pid: process.pid, log });
  if (!config.protectKernelDefaults) await setParameters(log);
  const { kubeletCgroups: agent, systemCgroups: system } = config;
  if (agent === '' && system === '') return;
  const files = new CgroupFiles({ mount: '/sys/fs/cgroup', isCgroupV2: await isUnified(), log });
  await placeProcesses({ files, agent, system, pid: process.pid });
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

/** An event of the node at its start. */
export type NodeWarning = readonly [reason: string, message: string];

/** What the agent says of its machine once. @param root in front of `/sys`, for tests */
export async function machineWarnings(root = '/'): Promise<readonly NodeWarning[]> {
  return (await unifiedControllers(root)) === undefined
    ? [['CgroupV1', 'cgroup v1 support is in maintenance mode, please migrate to cgroup v2']]
    : [];
}

/**
 * Upstream looks at the disk of images before it has measured it, and says so at each start; what counts events of
 * nodes expects it. Without a collection of images there is no such look.
 */
export const imageWarnings = ({
  imageGCHighThresholdPercent,
  imageMaximumGCAge,
}: Pick<NodeAgentConfig, 'imageGCHighThresholdPercent' | 'imageMaximumGCAge'>): readonly NodeWarning[] =>
  imageGCHighThresholdPercent === 100 && imageMaximumGCAge === 0
    ? []
    : [['InvalidDiskCapacity', 'invalid capacity 0 on image filesystem']];

/** Undefined where control groups are those of version 1. */
const unifiedControllers = (root: string): Promise<unknown> =>
  stat(path.join(root, 'sys/fs/cgroup/cgroup.controllers')).catch(undefinedWhenAbsent);
