/**
 * `npm run bench -- memory`: floods of requests against a server with a small heap, and what is left in its memory
 * afterwards.
 *
 * Compared is what the process uses (heap and buffers after a collection), not its resident memory: an allocator keeps
 * freed pages for the next use. The resident memory at the peak is shown beside it.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { clientLimits } from '../test/support/memory/flood-clients.ts';
import { floods } from '../test/support/memory/floods.ts';
import { type FloodResult, measureFlood, tolerance, used } from '../test/support/memory/measure.ts';
import { MeasuredServer } from '../test/support/memory/measured-server.ts';
import { buildProgram } from './local-server.ts';
import { UsageError } from './usage-error.ts';

const help = `Usage: npm run bench -- memory [options]

Starts 'orch apiserver' of this checkout with a small heap and the embedded store, and sends it one flood after the
other: pipelined requests, answers that are not read, bodies that are not whole, heads of a megabyte, thousands of
connections and watches. Prints what the server used before, during and after each of them.

  --floods TEXT   only floods whose name contains this
  --percent N     size of the floods (100): 10,000 connections, 10,000 watches, 1,000 bodies of 3 MB at 100
  --heap N        megabytes of the server's heap (512)
  --audit WHICH   on, off or both (both): with audit, all requests are recorded with their objects
  --json FILE     the results for programs
  --help

Exits with 1 when the server ended, or uses over ${tolerance * 100} % more than before a flood. Both processes need
a file descriptor for each connection; with a lower limit ('ulimit -n'), --percent must be lower.
`;

/** Ten seconds or so: large writes whose clients have left are finished. */
const settledLooks = 50;

interface Options {
  readonly filter: string;
  readonly share: number;
  readonly heapMegabytes: number;
  readonly audits: readonly boolean[];
  readonly jsonFile: string | undefined;
}

/** @returns the exit code */
export async function memory(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const options = readMemoryOptions(argv);
  if (options === undefined) return process.stdout.write(help), 0;
  const chosen = floods.filter(({ name }) => name.includes(options.filter));
  if (chosen.length === 0)
    throw new UsageError(
      `--floods: no flood has ${JSON.stringify(options.filter)} in its name, ` +
        `only ${floods.map(({ name }) => name).join('; ')}`,
    );
  const wanted = Math.max(...chosen.map(({ connections }) => Math.ceil(connections * options.share)));
  const available = await clientLimits();
  if (wanted > available)
    throw new UsageError(
      `the largest flood has ${wanted} connections, and the limit of file descriptors allows ${available}: ` +
        'raise it (ulimit -n) or lower --percent',
    );
  await buildProgram(root, signal);
  const results: (FloodResult & { readonly audit: boolean })[] = [];
  for (const audit of options.audits) {
    console.log(
      `\nheap of ${options.heapMegabytes} MB, audit ${audit ? 'on' : 'off'}, floods at ${options.share * 100} ` +
        `%; MB used (heap and buffers)\n\n${head}`,
    );
    let server = await MeasuredServer.start({ root, heapMegabytes: options.heapMegabytes, audit });
    try {
      for (const flood of chosen) {
        signal.throwIfAborted();
        const result = await measureFlood(server, flood, { share: options.share, looks: settledLooks });
        console.log(row(result));
        results.push({ ...result, audit });
        if (server.isAlive) continue;
        await server[Symbol.asyncDispose]();
        server = await MeasuredServer.start({ root, heapMegabytes: options.heapMegabytes, audit });
      }
    } finally {
      await server[Symbol.asyncDispose]();
    }
  }
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, JSON.stringify(results, undefined, 1));
  const failed = results.filter((result) => !isGood(result));
  console.log(`\n${results.length} floods, ${failed.length} failed`);
  for (const { name, error } of failed) console.log(`${name}: ${error ?? 'more is used than before'}`);
  return failed.length === 0 ? 0 : 1;
}

function readMemoryOptions(argv: readonly string[]): Options | undefined {
  const values = parse(argv);
  if (values.help === true) return undefined;
  const audits = { on: [true], off: [false], both: [false, true] }[values.audit ?? 'both'];
  if (audits === undefined) throw new UsageError(`--audit is on, off or both, not ${JSON.stringify(values.audit)}`);
  return {
    filter: values.floods ?? '',
    share: readNumber('percent', values.percent, 100) / 100,
    heapMegabytes: readNumber('heap', values.heap, 512),
    audits,
    jsonFile: values.json,
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    floods: text,
    percent: text,
    heap: text,
    audit: text,
    json: text,
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readNumber(name: string, given: string | undefined, fallback: number): number {
  if (given !== undefined && !/^[1-9]\d{0,4}$/.test(given))
    throw new UsageError(`--${name} wants a number from 1 to 99999, not ${JSON.stringify(given)}`);
  return Number(given ?? fallback);
}

const isGood = ({ error, before, after }: FloodResult): boolean =>
  error === undefined && after !== undefined && used(after) <= used(before) * (1 + tolerance);

const head = '| flood | before | during | after | peak resident | s | |\n|---|---|---|---|---|---|---|';

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);

function row(result: FloodResult): string {
  const { name, before, during, after, peakRss, seconds } = result;
  const cells = [before, during, after].map((memory) => (memory === undefined ? '' : megabytes(used(memory))));
  const row = [name, ...cells, megabytes(peakRss), seconds.toFixed(0), isGood(result) ? 'ok' : 'FAILED'];
  return `| ${row.join(' | ')} |`;
}
