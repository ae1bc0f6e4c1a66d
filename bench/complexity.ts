/**
 * `npm run bench -- complexity`: the cost of every request that the schema allows, at sizes up to the limit of bodies.
 *
 * CPU time is measured at a sixteenth, a fourth and all of the size, and gives the exponent of growth. Costs that grow
 * too fast are measured again before they count. The longest block of the event loop is what other clients wait for.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { answeredCases, type Case, storedCases } from '../test/complexity/cases.ts';
import { endpointCases } from '../test/complexity/endpoints.ts';
import { largestExponent } from '../test/complexity/growth.ts';
import { ComplexityServer } from '../test/complexity/server.ts';
import type { MemoryRequest } from '../test/support/memory-exchange.ts';
import { UsageError } from './usage-error.ts';

const help = `Usage: npm run bench -- complexity [options]

Sends every kind of request that the schema of the API allows, with one of its lists, maps or texts as long as the limit
of bodies permits, to a server in this process, and prints what costs most and what grows faster than linear.

  --cases TEXT    only cases whose name contains this
  --every         every place of every kind, in each form and by each way of writing; without, each field that the
                  schema declares once in each variety, the ways of writing taking turns
  --bytes N       largest request (3000000)
  --rows N        rows of the tables (40)
  --json FILE     all results for programs
  --help

Exits with 1 when a case grows faster than with the exponent ${largestExponent}.
`;

interface Options {
  readonly filter: string;
  readonly every: boolean;
  readonly bytes: number;
  readonly rows: number;
  readonly jsonFile: string | undefined;
}

interface Sample {
  readonly bytes: number;
  readonly status: number;
  readonly cpuMs: number;
  /** Longest time in which the event loop was blocked. */
  readonly stallMs: number;
}

interface Result extends Sample {
  readonly name: string;
  readonly exponent: number;
}

/** @returns the exit code */
export async function complexity(argv: readonly string[]): Promise<number> {
  const options = readComplexityOptions(argv);
  if (options === undefined) return process.stdout.write(help), 0;
  const cases = selectCases(options);
  await using server = await ComplexityServer.start();
  const results: Result[] = [];
  for (const [i, one] of cases.entries()) {
    const result = await measure(server, one, options.bytes);
    if (result !== undefined) results.push(result);
    if (i % 100 === 99) process.stderr.write(`${i + 1} of ${cases.length}\n`);
  }
  const steep = results.filter(({ exponent }) => exponent > largestExponent);
  print(
    'most CPU time',
    results.toSorted((a, b) => b.cpuMs - a.cpuMs),
    options.rows,
  );
  print(
    'longest block of the event loop',
    results.toSorted((a, b) => b.stallMs - a.stallMs),
    options.rows,
  );
  print('faster than linear', steep, steep.length);
  console.log(`${results.length} cases, ${steep.length} faster than linear`);
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, JSON.stringify(results, undefined, 1));
  return steep.length === 0 ? 0 : 1;
}

function readComplexityOptions(argv: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      cases: text,
      bytes: text,
      rows: text,
      json: text,
      every: { type: 'boolean' },
      help: { type: 'boolean' },
    },
    strict: true,
  });
  if (values.help === true) return undefined;
  return {
    filter: values.cases ?? '',
    every: values.every === true,
    bytes: readNumber('bytes', values.bytes, 3_000_000),
    rows: readNumber('rows', values.rows, 40),
    jsonFile: values.json,
  };
}

function readNumber(name: string, given: string | undefined, fallback: number): number {
  if (given !== undefined && !/^[1-9]\d{0,6}$/.test(given))
    throw new UsageError(`--${name} wants a number from 1 to 9999999, not ${JSON.stringify(given)}`);
  return Number(given ?? fallback);
}

/**
 * One case of each group and variety, unless all are wanted: of its first kind, each next one by the next way of
 * writing.
 */
function selectCases({ filter, every }: Options): Case[] {
  const all = [...storedCases(), ...answeredCases(), ...endpointCases()].filter(({ name }) => name.includes(filter));
  if (every) return all;
  const groups = groupBy(all);
  return [...groups.values()].map((cases, i) => cases[i % Math.min(cases.length, waysOfWriting)]!);
}

const waysOfWriting = 11;
const keyOf = ({ group, variety }: Case): string => `${group} ${variety ?? ''}`;

function groupBy(cases: readonly Case[]): Map<string, Case[]> {
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** A case that is slow where it is small is not made larger. */
const enoughMs = 2_000;
/** Less is mostly what the machine does beside it. */
const noticeableMs = 100;
const attempts = 3;

async function measure(server: ComplexityServer, { name, request }: Case, bytes: number): Promise<Result | undefined> {
  const samples: Sample[] = [];
  for (const size of [bytes / 16, bytes / 4, bytes]) {
    const message = request(size);
    if (message === undefined) return undefined;
    samples.push(await sample(server, message));
    if (samples.at(-1)!.cpuMs > enoughMs) break;
  }
  let steepness = steepest(samples);
  for (let attempt = 1; steepness > largestExponent && attempt < attempts; attempt++) {
    const again: Sample[] = [];
    for (const { bytes: length } of samples) again.push(await sample(server, request(length)!));
    steepness = Math.min(steepness, steepest(again));
  }
  return { name, ...samples.at(-1)!, exponent: steepness };
}

function steepest(samples: readonly Sample[]): number {
  const last = samples.at(-1)!;
  const before = samples.at(-2);
  if (before === undefined || last.cpuMs < noticeableMs) return 0;
  return Math.log(last.cpuMs / Math.max(before.cpuMs, 1)) / Math.log(last.bytes / before.bytes);
}

async function sample(server: ComplexityServer, message: MemoryRequest): Promise<Sample> {
  let stallMs = 0;
  let turn = performance.now();
  let isRunning = true;
  const take = (): void => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - turn);
    turn = now;
    if (isRunning) setImmediate(take);
  };
  setImmediate(take);
  const before = process.cpuUsage();
  const { status } = await server.send(message);
  const { user, system } = process.cpuUsage(before);
  isRunning = false;
  take();
  const bytes =
    (message.body?.length ?? 0) +
    message.target.length +
    (message.headers ?? []).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return { bytes, status, cpuMs: (user + system) / 1000, stallMs };
}

function print(title: string, results: readonly Result[], rows: number): void {
  console.log(`\n${title}\n| request | bytes | status | CPU ms | longest ms | exponent |\n|---|---|---|---|---|---|`);
  for (const { name, bytes, status, cpuMs, stallMs, exponent } of results.slice(0, rows)) {
    console.log(
      `| ${name} | ${bytes} | ${status} | ${cpuMs.toFixed(0)} | ${stallMs.toFixed(0)} | ${exponent.toFixed(2)} |`,
    );
  }
  console.log('');
}
