/**
 * `npm run bench -- start`: how long `createControlPlane` takes in a new process, from the built library, side by side
 * with other checkouts.
 */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildProgram } from './local-server.ts';
import { median } from './report.ts';
import { UsageError } from './usage-error.ts';

const help = `Usage: npm run bench -- start [options]

Imports the built library and starts a control plane, each time in a new process, the checkouts in turns. Prints the
medians in ms: import, createControlPlane, and the CPU time of the process until then. The start is measured for the API
server alone and with the controllers that run by default.

  --with DIR      another checkout with its dependencies, which is built first; may be repeated
  --rounds N      (9)
  --help
`;

interface Start {
  readonly importMs: number;
  readonly createMs: number;
  readonly cpuMs: number;
}

/** Run in the new process: as a program that uses the library would. */
const script = `
  const before = performance.now();
  const { createControlPlane } = await import(process.argv[1]);
  const imported = performance.now();
  const controlPlane = await createControlPlane(JSON.parse(process.argv[2]));
  const created = performance.now();
  const { user, system } = process.cpuUsage();
  const [importMs, createMs, cpuMs] = [imported - before, created - imported, (user + system) / 1000];
  console.log(JSON.stringify({ importMs, createMs, cpuMs }));
  await controlPlane.close();
`;

const variants = { 'API server alone': { controllers: false }, 'default controllers': {} };

/** @returns the exit code */
export async function startTimes(argv: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      with: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string', default: '9' },
      help: { type: 'boolean' },
    },
    strict: true,
  });
  if (values.help === true) return process.stdout.write(help), 0;
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds must be a whole number from 1 on');
  const checkouts = [root, ...values.with.map((directory) => path.resolve(directory))];
  for (const checkout of checkouts) await buildProgram(checkout, signal);
  const rows = checkouts.flatMap((checkout) =>
    Object.entries(variants).map(([variant, options]) => ({ checkout, variant, options, starts: [] as Start[] })),
  );
  for (let round = 0; round < rounds; round++)
    for (const row of rows) row.starts.push(await measure(row.checkout, row.options, signal));
  console.log('| checkout | start | import, ms | create, ms | CPU, ms |\n|---|---|---|---|---|');
  for (const { checkout, variant, starts } of rows) {
    const of = (part: keyof Start): string => median(starts.map((one) => one[part]).sort((a, b) => a - b)).toFixed(0);
    console.log(`| ${checkout} | ${variant} | ${of('importMs')} | ${of('createMs')} | ${of('cpuMs')} |`);
  }
  return 0;
}

async function measure(checkout: string, options: object, signal: AbortSignal): Promise<Start> {
  const library = path.join(checkout, 'dist', 'index.js');
  const args = ['--input-type=module', '--eval', script, library, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { signal, timeout: 60_000 });
  return JSON.parse(stdout) as Start;
}
