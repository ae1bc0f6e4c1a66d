/**
 * `npm run bench -- latency`: what other clients wait for while one client sends the heaviest requests that there are.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { answeredCases, type Case, setup, storedCases } from '../test/complexity/cases.ts';
import { endpointCases } from '../test/complexity/endpoints.ts';
import type { MemoryRequest } from '../test/support/memory-exchange.ts';
import { HttpClient, HttpError } from './http-client.ts';
import { LocalServer } from './local-server.ts';

const help = `Usage: npm run bench -- latency --from FILE [options]

Starts an API server, and for each of the heaviest cases of 'npm run bench -- complexity --json FILE' lets one client
send that request again and again, while another one reads an object and asks /livez. Prints the latencies of the
second.

  --from FILE     results of the complexity measurement
  --cases N       so many cases with the longest time without a turn, and as many with the most CPU time (15)
  --case NAME     only this one, without --from
  --seconds N     for each (5)
  --bytes N       of a request (3000000)
  --help

Exits with 1 when the 99th percentile of a case is over 100 ms.
`;

interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const largestP99Ms = 100;

/** @returns the exit code */
export async function latency(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: { from: text, cases: text, case: text, seconds: text, bytes: text, help: { type: 'boolean' } },
    strict: true,
  });
  if (values.help === true || (values.from === undefined && values.case === undefined))
    return process.stdout.write(help), values.help === true ? 0 : 2;
  const cases =
    values.case === undefined ? await heaviest(values.from!, Number(values.cases ?? 15)) : named([values.case]);
  const seconds = Number(values.seconds ?? 5);
  await using server = await LocalServer.start({
    root,
    storeServers: undefined,
    auditLevel: undefined,
    signal,
    flags: ['--runtime-config=api/all=true'],
  });
  using heavy = await HttpClient.connect({ address: server.address, accept: '*/*', gzip: false, sessions: 1 });
  using other = await HttpClient.connect({ address: server.address, accept: '*/*', gzip: false, sessions: 1 });
  for (const request of setup) await send(heavy, request);
  print('nothing else', 0, await probe(other, seconds, () => false));
  let worst = 0;
  for (const one of cases) {
    const request = sendable(one, Number(values.bytes ?? 3_000_000));
    if (request === undefined || signal.aborted) continue;
    let isOver = false;
    let sent = 0;
    const load = (async () => {
      for (; !isOver; sent++) await send(heavy, request);
    })();
    const latencies = await probe(other, seconds, () => sent > 0);
    isOver = true;
    await load;
    print(one.name, sent, latencies);
    worst = Math.max(worst, latencies.p99);
  }
  return worst > largestP99Ms ? 1 : 0;
}

async function heaviest(file: string, count: number): Promise<Case[]> {
  const results = JSON.parse(await readFile(file, 'utf8')) as {
    readonly name: string;
    readonly stallMs: number;
    readonly cpuMs: number;
  }[];
  const most = (by: 'stallMs' | 'cpuMs'): string[] =>
    results
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, count)
      .map(({ name }) => name);
  return named([...new Set([...most('stallMs'), ...most('cpuMs')])]);
}

function named(names: readonly string[]): Case[] {
  const known = new Map([...storedCases(), ...answeredCases(), ...endpointCases()].map((one) => [one.name, one]));
  return names.map((name) => {
    const one = known.get(name);
    if (one === undefined) throw new Error(`there is no case ${JSON.stringify(name)}`);
    return one;
  });
}

/** Servers take heads of a megabyte. */
const maxHeadBytes = 900_000;

/** The request of a case, smaller where the server would not read its head. */
function sendable(one: Case, bytes: number): MemoryRequest | undefined {
  const request = one.request(bytes);
  if (request === undefined) return undefined;
  const headBytes = (request.headers ?? []).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 32,
    request.target.length,
  );
  return headBytes <= maxHeadBytes ? request : one.request(Math.floor((bytes * maxHeadBytes) / headBytes));
}

/** Refusals are answers as well. */
async function send(client: HttpClient, { method, target, headers = [], body }: MemoryRequest): Promise<void> {
  const contentType = headers.find(([name]) => name === 'content-type')?.[1];
  await client
    .request({
      method: method as 'POST',
      path: target,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
      headers: headers.filter(([name]) => name !== 'content-type'),
    })
    .catch((error: unknown) => {
      if (!(error instanceof HttpError)) throw error;
    });
}

/** For so long, and until enough of the other client's requests are answered. */
async function probe(client: HttpClient, seconds: number, hasEnough: () => boolean): Promise<Latencies> {
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end || (latencies.length < 100 && !hasEnough())) {
    for (const path of ['/livez', '/api/v1/namespaces/default/configmaps/minimal']) {
      const start = performance.now();
      await client.request({ method: 'GET', path });
      latencies.push(performance.now() - start);
    }
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]!;
  return { count: latencies.length, p50: at(0.5), p99: at(0.99), max: latencies.at(-1)! };
}

function print(name: string, sent: number, { count, p50, p99, max }: Latencies): void {
  console.log(`| ${name} | ${sent} | ${count} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${max.toFixed(1)} |`);
}
