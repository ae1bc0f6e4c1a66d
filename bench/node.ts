/** `npm run bench -- node`: one node with real containers at work, and what its agent needs for it. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '../src/client/client.ts';
import { createMany, inNamespace, isReady, secondsUntilPods, until } from './cluster/workloads.ts';
import { LocalCluster, type ProcessState } from './cluster/local-cluster.ts';
import type { Figure } from './cluster/part.ts';
import { figureTable } from './cluster/report.ts';
import { UsageError } from './usage-error.ts';

const defaults = { runtime: 'unix:///run/containerd/containerd.sock', image: 'node.test/busybox:1' };
const idleMs = 60_000;
const settleMs = 15_000;
const singles = 5;
const replicas = 50;
const heldSingles = 3;
const graceSeconds = 2;

/** What kubelet 1.32.13 took on two cores and the same containerd. */
const reference = {
  oneSeconds: 0.98,
  readySeconds: 9.1,
  cpuSeconds: 1.23,
  idleMs: 33,
  idleMegabytes: 96,
};
const goals = { oneSeconds: 0.9, readySeconds: 9, cpuSeconds: 1.2, idleMs: 20, idleMegabytes: 110, goneSeconds: 3 };

const help = `Usage: npm run bench -- node [options]

Starts 'orch up --node' of this checkout in a temporary directory on free ports, as root on Linux, and prints how long
pods take on this machine and what the node agent uses, beside kubelet 1.32.13.

  --container-runtime-endpoint SOCKET   of the container runtime (${defaults.runtime})
  --image IMAGE                         present on the machine, with a shell (${defaults.image})
  --json FILE                           the results for programs
  --help

Exits with 1 when something has failed; a goal that is missed is shown in the table.
`;

interface Options {
  readonly runtime: string;
  readonly image: string;
  readonly jsonFile: string | undefined;
}

/** @returns the exit code */
export async function node(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const options = readOptions(argv);
  if (options === undefined) return process.stdout.write(help), 0;
  await using cluster = await LocalCluster.start(root, { runtime: options.runtime }, signal);
  const [load = 0] = loadavg();
  console.log(`${availableParallelism()} cores, load ${load.toFixed(1)}\n`);
  const figures = await inNamespace(cluster.client, 'node', signal, () => measure(cluster, options, signal));
  console.log(figureTable(figures));
  if (options.jsonFile !== undefined)
    await writeFile(options.jsonFile, JSON.stringify({ load, figures }, undefined, 1));
  return 0;
}

async function measure(cluster: LocalCluster, { image }: Options, signal: AbortSignal): Promise<Figure[]> {
  const { client } = cluster;
  const agent = (): ProcessState => cluster.processes()['node agent'];
  const spec = podSpec(image);
  const one = await secondsOfOne(client, spec, signal);
  const ready = await deploy(cluster, spec, signal);
  await sleep(settleMs, undefined, { signal });
  const before = agent();
  await sleep(idleMs, undefined, { signal });
  const after = agent();
  const gone = await secondsUntilGone(client, signal);
  return [
    {
      name: 'one pod, created to Running',
      value: one,
      unit: 's',
      goal: goals.oneSeconds,
      reference: reference.oneSeconds,
    },
    ...ready,
    {
      name: `idle with ${replicas + heldSingles} pods, CPU per second`,
      value: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / idleMs,
      unit: 'ms',
      goal: goals.idleMs,
      reference: reference.idleMs,
    },
    {
      name: `idle with ${replicas + heldSingles} pods, resident`,
      value: after.residentBytes / 2 ** 20,
      unit: 'MB',
      goal: goals.idleMegabytes,
      reference: reference.idleMegabytes,
    },
    {
      name: `${replicas + heldSingles} pods gone, after their grace of ${graceSeconds} s`,
      value: gone - graceSeconds,
      unit: 's',
      goal: goals.goneSeconds,
    },
  ];
}

/** A process that does not react to TERM, as the first one of its container: it lives as long as it may. */
const podSpec = (image: string) => ({
  terminationGracePeriodSeconds: graceSeconds,
  containers: [
    {
      name: 'main',
      image,
      command: ['sleep', '86400'],
      resources: { requests: { cpu: '1m', memory: '1Mi' } },
    },
  ],
});

type BenchSpec = ReturnType<typeof podSpec>;

/** The middle one of several. The last ones stay. */
async function secondsOfOne(client: Client, spec: BenchSpec, signal: AbortSignal): Promise<number> {
  const pods = client.core.v1.pods.namespace('node');
  const seconds: number[] = [];
  for (let index = 0; index < singles; index++) {
    const name = `single-${index}`;
    const watch = pods.watch({ fieldSelector: `metadata.name=${name}`, signal });
    const since = performance.now();
    await pods.create({ metadata: { name }, spec });
    for await (const { object } of watch) if (object.status.phase === 'Running') break;
    seconds.push((performance.now() - since) / 1000);
    if (index < singles - heldSingles) await pods.delete(name, { gracePeriodSeconds: 0 });
    await sleep(1000, undefined, { signal });
  }
  return seconds.sort((a, b) => a - b)[Math.floor(singles / 2)]!;
}

async function deploy(cluster: LocalCluster, spec: BenchSpec, signal: AbortSignal): Promise<Figure[]> {
  const { client } = cluster;
  const before = cluster.processes()['node agent'];
  const since = performance.now();
  const ready = secondsUntilPods(client, { namespace: 'node', count: replicas + heldSingles, since, signal }, [
    isReady,
  ]);
  await client.apps.v1.deployments.namespace('node').create({
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec },
    },
  });
  const [seconds] = await ready;
  const after = cluster.processes()['node agent'];
  return [
    {
      name: `${replicas} pods of a Deployment Ready`,
      value: seconds!,
      unit: 's',
      goal: goals.readySeconds,
      reference: reference.readySeconds,
    },
    {
      name: "the agent's CPU for them",
      value: after.cpuSeconds - before.cpuSeconds,
      unit: 's',
      goal: goals.cpuSeconds,
      reference: reference.cpuSeconds,
    },
  ];
}

/** From the deletion of the Deployment and of the single pods until there is no pod. */
async function secondsUntilGone(client: Client, signal: AbortSignal): Promise<number> {
  const pods = client.core.v1.pods.namespace('node');
  await client.apps.v1.deployments.namespace('node').delete('web', { propagationPolicy: 'Orphan' });
  await until(signal, async () => (await client.apps.v1.replicasets.namespace('node').list()).items.length > 0);
  for (const { metadata } of (await client.apps.v1.replicasets.namespace('node').list()).items)
    await client.apps.v1.replicasets.namespace('node').delete(metadata.name!, { propagationPolicy: 'Orphan' });
  const { items } = await pods.list();
  const since = performance.now();
  await createMany(items.length, (index) => pods.delete(items[index]!.metadata.name!));
  await until(signal, async () => (await pods.list()).items.length === 0);
  return (performance.now() - since) / 1000;
}

function readOptions(argv: readonly string[]): Options | undefined {
  const values = parse(argv);
  if (values.help === true) return undefined;
  const { json, image = defaults.image } = values;
  return { runtime: values['container-runtime-endpoint'] ?? defaults.runtime, image, jsonFile: json };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    const options = { 'container-runtime-endpoint': text, image: text, json: text, help: { type: 'boolean' } } as const;
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
