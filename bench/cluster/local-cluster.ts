/** An `orch up` of this checkout with nodes, and its processes; gone without a trace when it is disposed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../../src/client/client.ts';
import { loadKubeconfig } from '../../src/client/kubeconfig/load.ts';
import { buildProgram, freePort } from '../local-server.ts';
import { type MemoryUsage, memoryOf, usageOf } from '../process-usage.ts';

/** What `orch up` takes its nodes from. */
export type ClusterNodes =
  | { readonly hollow: number }
  /** This machine, with the container runtime at this socket. */
  | { readonly runtime: string };

/** With what each hollow node may take on a busy machine. */
const startTimeoutMs = (nodes: ClusterNodes): number => 120_000 + ('hollow' in nodes ? nodes.hollow * 60 : 0);
const stopTimeoutMs = 45_000;
const keptOutput = 8_192;

/** The processes that `orch up` starts, by their subcommand: the API server is an `orch up` without nodes. */
const subcommands = {
  'API server': 'up',
  'controller manager': 'controller-manager',
  scheduler: 'scheduler',
  'node agent': 'node-agent',
} as const;

const started = Object.keys(subcommands) as (keyof typeof subcommands)[];

export type ProcessName = keyof typeof subcommands | 'orch up';
export const processNames: readonly ProcessName[] = [...started, 'orch up'];

export interface ProcessState extends MemoryUsage {
  readonly cpuSeconds: number;
}

export type Processes = Readonly<Record<ProcessName, ProcessState>>;

export class LocalCluster implements AsyncDisposable {
  readonly client: Client;
  readonly #pids: Readonly<Record<ProcessName, number>>;
  readonly #close: () => Promise<void>;

  private constructor(child: ChildProcess, client: Client, close: () => Promise<void>) {
    this.client = client;
    this.#pids = pidsBelow(child.pid!);
    this.#close = close;
  }

  /** Resolves when all nodes are ready. Rejects with the output when it ends before, and with the signal's reason. */
  static async start(root: string, nodes: ClusterNodes, signal: AbortSignal): Promise<LocalCluster> {
    await buildProgram(root, signal);
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-bench-'));
    const flags = [...(await nodeFlags(nodes)), '--data-dir', directory, '--secure-port', String(await freePort())];
    const args = ['bin/orch.js', 'up', ...flags];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'close');
    // Its processes end with it.
    const killAtExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killAtExit);
    const close = async (): Promise<void> => {
      child.kill('SIGTERM');
      const timer = setTimeout(killAtExit, stopTimeoutMs);
      await exited;
      clearTimeout(timer);
      process.off('exit', killAtExit);
      await rm(directory, { recursive: true, force: true });
    };
    try {
      await untilReady(child, startTimeoutMs(nodes), signal);
      const config = await loadKubeconfig({ path: path.join(directory, 'admin.kubeconfig') });
      return new LocalCluster(child, createClient(config, { qps: 0 }), close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** What they use now. Throws when one has ended. */
  processes(): Processes {
    return Object.fromEntries(processNames.map((name) => [name, stateOf(name, this.#pids[name])])) as Processes;
  }

  /** Holds up one of the processes while `work` runs. */
  async whileStopped<T>(name: ProcessName, work: () => Promise<T>): Promise<T> {
    process.kill(this.#pids[name], 'SIGSTOP');
    try {
      return await work();
    } finally {
      process.kill(this.#pids[name], 'SIGCONT');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.#close();
  }
}

const nodeFlags = async (nodes: ClusterNodes): Promise<string[]> =>
  'hollow' in nodes
    ? ['--hollow-nodes', String(nodes.hollow)]
    : ['--node', '--container-runtime-endpoint', nodes.runtime, '--nodeagent-port', String(await freePort())];

async function untilReady(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<void> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-keptOutput)));
  const deadline = performance.now() + timeoutMs;
  while (!/^ {2}nodes +\d+ ready$/m.test(output)) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`orch up ended at its start:\n${output}`);
    if (performance.now() > deadline)
      throw new Error(`the nodes were not ready within ${timeoutMs / 1000} s:\n${output}`);
    await sleep(20, undefined, { signal });
  }
}

function stateOf(name: ProcessName, pid: number): ProcessState {
  const usage = usageOf([pid]);
  const memory = memoryOf(pid);
  if (usage === undefined || memory === undefined) throw new Error(`the process of ${name} has ended`);
  return { cpuSeconds: usage.cpuMicroseconds / 1e6, ...memory };
}

/** The process that was started, and those that it has started. */
function pidsBelow(parent: number): Record<ProcessName, number> {
  const found: Partial<Record<ProcessName, number>> = { 'orch up': parent };
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || parentOf(entry) !== parent) continue;
    const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0');
    const subcommand = words[words.findIndex((word) => word.endsWith('.js')) + 1];
    const name = started.find((name) => subcommands[name] === subcommand);
    if (name !== undefined) found[name] = Number(entry);
  }
  const missing = processNames.filter((name) => found[name] === undefined);
  if (missing.length > 0) throw new Error(`no process below ${parent} is ${missing.join(', ')}`);
  return found as Record<ProcessName, number>;
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended
  }
}
