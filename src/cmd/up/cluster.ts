/**
 * `orch up` with nodes: API server, controller manager, scheduler and hollow nodes as processes of their own, which are
 * started again when they end.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '../../base/clock.ts';
import { privateDirectoryMode } from '../../base/private-files.ts';
import { type Client, createClient } from '../../client/client.ts';
import type { ClientConfig } from '../../client/client-config.ts';
import { loadKubeconfig } from '../../client/kubeconfig/load.ts';
import type { Pki } from '../../pki/pki.ts';
import type { CommandContext } from '../command.ts';
import type { Interrupts } from '../interrupts.ts';
import { UserError } from '../user-error.ts';
import { nodeProcess, type RealNode } from './real-node.ts';
import { daemonProcesses } from './daemon-processes.ts';
import type { ProcessEnd } from './start-process.ts';
import { ProcessSupervisor } from './supervisor.ts';

export interface ClusterNodes {
  readonly hollow: number;
  /** This machine, if it is one. */
  readonly real: RealNode | undefined;
}

export interface ClusterOptions {
  readonly dataDir: string;
  readonly pki: Pki;
  /** Of the API server, as the user gave them. */
  readonly apiServerArgs: readonly string[];
  readonly nodes: ClusterNodes;
  /** The path as people are shown it. */
  readonly shown: (path: string) => string;
}

const lookEveryMs = 50;

/** Resolves when all processes have ended after a signal. Returns the exit code. */
export async function runCluster(
  { dataDir, pki, apiServerArgs, nodes, shown }: ClusterOptions,
  interrupts: Interrupts,
  onReady: () => void,
  { out, parts }: CommandContext,
): Promise<number> {
  const kubeconfig = join(dataDir, 'admin.kubeconfig');
  await refuseSecond(kubeconfig, shown(dataDir), interrupts.signal);
  const logs = join(dataDir, 'logs');
  await rm(logs, { recursive: true, force: true });
  await mkdir(logs, { mode: privateDirectoryMode });
  const logFile = (name: string): string => join(logs, `${name}.log`);
  const row = (name: string, state: string): void => out(`  ${name.padEnd(22)} ${state}\n`);
  const supervisor = new ProcessSupervisor({
    start: parts.startProcess,
    clock: systemClock,
    onRestart: (process, end, delayMs) =>
      row(process.name, `${describeEnd(end)}; starts again in ${delayMs / 1000} s, see ${shown(process.logFile)}`),
  });
  // Nothing else may keep the process alive.
  const hold = setInterval(() => undefined, 2 ** 30);
  try {
    const apiLog = logFile('api-server');
    const { ended } = supervisor.add({ name: 'API server', args: apiServerArgs, logFile: apiLog });
    const failed = ended.then(async (end) => {
      throw new UserError(await whyEnded(end, apiLog));
    });
    failed.catch(() => undefined);
    const config = await Promise.race([untilServing(kubeconfig, interrupts), failed]);
    if (config === undefined) return interrupts.exitCode;
    row('API server', config.url);
    const around = { dataDir, pki, admin: config, logFile };
    const processes = await daemonProcesses({ ...around, hollowNodes: nodes.hollow });
    if (nodes.real !== undefined) processes.push(await nodeProcess(nodes.real, around));
    for (const process of processes) {
      supervisor.add(process);
      row(process.name, 'started');
    }
    await using client = createClient(config, { qps: 0 });
    const count = nodes.hollow + (nodes.real === undefined ? 0 : 1);
    await untilNodesReady(client, count, interrupts.signal);
    if (!interrupts.signal.aborted) {
      row('nodes', `${count} ready`);
      row('logs', shown(logs));
      onReady();
    }
    await interrupts.first;
    out('\nStopping. Ctrl-C once more ends it at once.\n');
    return 0;
  } finally {
    await supervisor.stop();
    clearInterval(hold);
  }
}

/** A server that answers now is of a cluster that runs in this directory: it would be taken for this one's. */
async function refuseSecond(kubeconfig: string, directory: string, signal: AbortSignal): Promise<void> {
  const running = await readyConfig(kubeconfig, signal).catch(() => undefined);
  if (running === undefined) return;
  throw new UserError(
    `the cluster in ${directory} runs already, at ${running.url}: stop it first, ` +
      'or choose another directory with --data-dir',
  );
}

const describeEnd = ({ code, signal }: ProcessEnd): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}`;

/** The last that the API server said: its own error text, when its flags or its data were the reason. */
async function whyEnded(end: ProcessEnd, logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '');
  const errors = log.split('\n').flatMap((line) => /^Error: (.*)$/.exec(line)?.[1] ?? []);
  return errors.length > 0 ? errors.join('\n') : `the API server ${describeEnd(end)}; its log is ${logFile}`;
}

/** How the API server is reached, once it answers. Undefined when a signal came before. */
async function untilServing(kubeconfig: string, { signal }: Interrupts): Promise<ClientConfig | undefined> {
  while (!signal.aborted) {
    const config = await readyConfig(kubeconfig, signal).catch(() => undefined);
    if (config !== undefined) return config;
    await sleep(systemClock, lookEveryMs, signal);
  }
  return undefined;
}

/** Undefined or rejects while the server is not ready, or has not written its file. */
async function readyConfig(kubeconfig: string, signal: AbortSignal): Promise<ClientConfig | undefined> {
  const config = await loadKubeconfig({ path: kubeconfig });
  await using client = createClient(config, { qps: 0, maxRetries: 0, timeoutMs: 2000 });
  const answer = await client.request({ method: 'GET', path: '/readyz', signal });
  answer.end();
  return answer.status === 200 ? config : undefined;
}

async function untilNodesReady(client: Client, count: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { items } = await client.core.v1.nodes.list({ signal });
      const ready = items.filter(
        ({ spec, status }) =>
          (spec?.taints ?? []).length === 0 &&
          status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
      );
      if (ready.length >= count) return;
    } catch {
      // The API server may be starting again.
    }
    await sleep(systemClock, lookEveryMs, signal);
  }
}
