/**
 * `npm run bench -- fairness`: what priority and fairness costs a request, and what a quiet user waits for beside a
 * user that lists all pods on many connections.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { abuse, AbusiveProcess } from './fairness/abusive-user.ts';
import { as, clientOf } from './fairness/clients.ts';
import { costs } from './fairness/cost.ts';
import { LocalServer } from './local-server.ts';
import { runWorkers } from './measure.ts';
import { benchPod, podName } from './pod.ts';
import type { ServerAddress } from './server-address.ts';

const help = `Usage: npm run bench -- fairness [options]

Measures the CPU time of priority and fairness in this process. Then starts an API server with pods, lets a quiet user
read single pods one after the other, first alone and then while another user lists all pods on many connections. Prints
the latencies of the quiet user and the errors of both.

  --pods N          that are listed (10000)
  --connections N   of the other user, each with one list at a time (64)
  --seconds N       for each of the two measurements (10)
  --reads N         a second, of the quiet user (50)
  --unfair          without priority and fairness
  --cost            only what a request costs
  --help

Exits with 1 when a request costs more than 6 µs, when the quiet user has an error, or a 99th percentile of more than
twice that alone.
`;

const largestRatio = 2;
const largestCost = 6;
const writers = 16;

interface Wanted {
  readonly pods: number;
  readonly connections: number;
  readonly seconds: number;
  readonly reads: number;
}

interface Latencies {
  readonly answered: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** @returns the exit code */
export async function fairness(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      pods: text,
      connections: text,
      seconds: text,
      reads: text,
      unfair: flag,
      cost: flag,
      'abuse-of': text,
      help: flag,
    },
    strict: true,
  });
  if (values.help === true) return process.stdout.write(help), 0;
  const wanted: Wanted = {
    pods: Number(values.pods ?? 10_000),
    connections: Number(values.connections ?? 64),
    seconds: Number(values.seconds ?? 10),
    reads: Number(values.reads ?? 50),
  };
  if (values['abuse-of'] !== undefined) return abuse(values['abuse-of'], wanted.connections);
  const isCheap = await printCosts();
  if (values.cost === true) return isCheap ? 0 : 1;
  await using server = await LocalServer.start({
    root,
    storeServers: undefined,
    auditLevel: undefined,
    signal,
    flags: [
      '--authorization-mode=AlwaysAllow',
      '--etcd-count-metric-poll-period=2s',
      ...(values.unfair === true ? ['--enable-priority-and-fairness=false'] : []),
    ],
  });
  await fill(server.address, wanted.pods, signal);
  // Without counts a list takes one seat.
  await countsKnown(server.address, wanted.pods, signal);
  const alone = await quietUser(server.address, wanted, signal);
  console.log('\n| quiet user | reads | errors | p50, ms | p99, ms | longest, ms |\n|---|---|---|---|---|---|');
  print('alone', alone);
  // In a process of its own: what it reads must not keep the quiet user from reading.
  await using abusive = await AbusiveProcess.start(server.address, wanted.connections);
  const beside = await quietUser(server.address, wanted, signal);
  const { lists, refused, failed } = await abusive.stop();
  print(`beside ${wanted.connections} connections`, beside);
  console.log(`the other user: ${lists} lists, ${refused} times 429, ${failed} other errors`);
  console.log(`p99 beside / alone: ${(beside.p99 / alone.p99).toFixed(2)}`);
  return isCheap && beside.errors === 0 && beside.p99 <= largestRatio * alone.p99 ? 0 : 1;
}

async function fill(address: ServerAddress, pods: number, signal: AbortSignal): Promise<void> {
  using client = await clientOf(address);
  const path = '/api/v1/namespaces/default/pods';
  await runWorkers({ operations: pods, concurrency: writers, pids: [], signal }, async (i) => {
    const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...benchPod(i) }));
    return client.request({ method: 'POST', path, body, contentType: 'application/json' });
  });
}

async function countsKnown(address: ServerAddress, pods: number, signal: AbortSignal): Promise<void> {
  using client = await clientOf(address);
  for (;;) {
    const metrics = (await client.request({ method: 'GET', path: '/metrics' })).body().toString();
    if (metrics.includes(`apiserver_storage_objects{resource="pods"} ${pods}\n`)) return;
    await sleep(500, undefined, { signal });
  }
}

/** Reads one pod after the other, each at its time. */
async function quietUser(
  address: ServerAddress,
  { pods, seconds, reads }: Wanted,
  signal: AbortSignal,
): Promise<Latencies> {
  using client = await clientOf(address);
  const latencies: number[] = [];
  let errors = 0;
  const begin = performance.now();
  for (let i = 0; i < seconds * reads; i++) {
    const wait = begin + (i * 1000) / reads - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal });
    const start = performance.now();
    try {
      const path = `/api/v1/namespaces/default/pods/${podName((i * 7919) % pods)}`;
      await client.request({ method: 'GET', path, headers: as('quiet') });
      latencies.push(performance.now() - start);
    } catch {
      errors++;
    }
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!;
  return { answered: latencies.length, errors, p50: at(0.5), p99: at(0.99), max: latencies.at(-1)! };
}

function print(name: string, { answered, errors, p50, p99, max }: Latencies): void {
  const [shortest, most, longest] = [p50, p99, max].map((ms) => ms.toFixed(2));
  console.log(`| ${name} | ${answered} | ${errors} | ${shortest} | ${most} | ${longest} |`);
}

/** @returns whether no request costs too much */
async function printCosts(): Promise<boolean> {
  const all = await costs();
  console.log('| request | fairness, µs | plain limits, µs | more, µs |\n|---|---|---|---|');
  for (const { name, fair, limited } of all)
    console.log(`| ${name} | ${fair.toFixed(2)} | ${limited.toFixed(2)} | ${(fair - limited).toFixed(2)} |`);
  return all.every(({ fair, limited }) => fair - limited <= largestCost);
}
