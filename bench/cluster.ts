/** `npm run bench -- cluster`: a whole cluster of hollow nodes at work, and what its processes need for it. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { LocalCluster } from './cluster/local-cluster.ts';
import type { Part, PartResult } from './cluster/part.ts';
import { type PartName, parts } from './cluster/parts.ts';
import { reference } from './cluster/reference.ts';
import { partTable } from './cluster/report.ts';
import { UsageError } from './usage-error.ts';

const names = Object.keys(parts) as PartName[];
const partTimeoutMs = 240_000;
const longPartTimeoutMs = 1_200_000;

const describe = (name: PartName): string => {
  const { about, nodes, isLong = false }: Part = parts[name];
  return `  ${name.padEnd(10)} ${about} (${nodes} nodes${isLong ? ', long' : ''})`;
};

const help = `Usage: npm run bench -- cluster [options]

Starts 'orch up' of this checkout with hollow nodes, in a temporary directory on a free loopback port, and prints for
each part how long it took and what each process used, beside what Kubernetes ${reference.version}
used where that is known.

${names.map(describe).join('\n')}

  --parts LIST    some of them, separated by commas (all but long ones)
  --keep          one cluster for the parts with the same number of nodes; by default each part has a new one
  --json FILE     the results for programs
  --help

A part that takes more than ${partTimeoutMs / 60_000} minutes fails, a long one after ${longPartTimeoutMs / 60_000}.
Exits with 1 when one has failed; a goal that is missed is shown in the table.
`;

interface Row extends PartResult {
  readonly part: PartName;
  /** Of one minute, when the part began. */
  readonly load: number;
}

/** @returns the exit code */
export async function cluster(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const options = readOptions(argv);
  if (options === undefined) return process.stdout.write(help), 0;
  const results: Row[] = [];
  let failures = 0;
  for (const group of groupsOf(options.names, options.keep)) {
    await using started = await LocalCluster.start(root, { hollow: parts[group[0]!].nodes }, signal);
    for (const part of group) {
      const [load = 0] = loadavg();
      const { about, nodes } = parts[part];
      const machine = `${nodes} nodes, ${availableParallelism()} cores, load ${load.toFixed(1)}`;
      console.log(`\n${part}: ${about}; ${machine}\n`);
      try {
        const result = await runPart(parts[part], started, signal);
        console.log(partTable(result, part === 'scale'));
        results.push({ part, load, ...result });
      } catch (error) {
        signal.throwIfAborted();
        console.log(`failed: ${error instanceof Error ? error.message : String(error)}`);
        failures++;
      }
    }
  }
  if (options.jsonFile !== undefined) await writeFile(options.jsonFile, JSON.stringify(results, undefined, 1));
  return failures === 0 ? 0 : 1;
}

const runPart = (part: Part, started: LocalCluster, signal: AbortSignal): Promise<PartResult> =>
  part.run(
    started,
    AbortSignal.any([signal, AbortSignal.timeout(part.isLong === true ? longPartTimeoutMs : partTimeoutMs)]),
  );

/** The parts that share a cluster. */
function groupsOf(chosen: readonly PartName[], keep: boolean): PartName[][] {
  if (!keep) return chosen.map((name) => [name]);
  const groups = new Map<number, PartName[]>();
  for (const name of chosen) {
    const { nodes } = parts[name];
    groups.set(nodes, [...(groups.get(nodes) ?? []), name]);
  }
  return [...groups.values()];
}

function readOptions(argv: readonly string[]) {
  const values = parse(argv);
  if (values.help === true) return undefined;
  const wanted = values.parts?.split(',').map((name) => name.trim());
  const unknown = wanted?.find((name) => !names.includes(name as PartName));
  if (unknown !== undefined)
    throw new UsageError(`--parts: there is no part ${JSON.stringify(unknown)}, only ${names.join(', ')}`);
  return {
    names: names.filter((name) => wanted?.includes(name) ?? (parts[name] as Part).isLong !== true),
    keep: values.keep === true,
    jsonFile: values.json,
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({ args: [...argv], options: { parts: text, keep: flag, json: text, help: flag }, strict: true })
      .values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
