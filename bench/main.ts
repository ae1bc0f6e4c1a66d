/** The load driver: options → servers → phases → report. Other measurements are chosen by the first argument. */
import { admission } from './admission.ts';
import { cluster } from './cluster.ts';
import { complexity } from './complexity.ts';
import { fairness } from './fairness.ts';
import { latency } from './latency.ts';
import { Load } from './load.ts';
import { LocalServer } from './local-server.ts';
import { memory } from './memory.ts';
import { node } from './node.ts';
import type { Options } from './options.ts';
import { help, readOptions } from './options.ts';
import { alwaysRun, phases } from './phases.ts';
import type { PhaseReport } from './report.ts';
import { medianRows, ratioOf, tableHead, tableRows, writeJson } from './report.ts';
import type { AuditLevel, ServerAddress } from './server-address.ts';
import { startTimes } from './start.ts';
import { UsageError } from './usage-error.ts';

/** @returns the exit code: 0, 1 when something failed, 2 for a bad command line, 130 when interrupted */
export async function main(argv: readonly string[], root: string): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new Error('interrupted'));
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    if (argv[0] === 'admission') return await admission(argv.slice(1));
    if (argv[0] === 'cluster') return await cluster(argv.slice(1), root, interrupt.signal);
    if (argv[0] === 'complexity') return await complexity(argv.slice(1));
    if (argv[0] === 'fairness') return await fairness(argv.slice(1), root, interrupt.signal);
    if (argv[0] === 'latency') return await latency(argv.slice(1), root, interrupt.signal);
    if (argv[0] === 'node') return await node(argv.slice(1), root, interrupt.signal);
    if (argv[0] === 'memory') return await memory(argv.slice(1), root, interrupt.signal);
    if (argv[0] === 'start') return await startTimes(argv.slice(1), root, interrupt.signal);
    const options = readOptions(argv);
    if (options === undefined) return print(help);
    return await run(options, phaseNames(options), root, interrupt.signal);
  } catch (error) {
    console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
    if (interrupt.signal.aborted) return 130;
    return error instanceof UsageError ? 2 : 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function phaseNames({ phases: wanted }: Options): string[] {
  const known = Object.keys(phases);
  const unknown = wanted?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`--phases: there is no phase ${JSON.stringify(unknown)}, only ${known.join(', ')}`);
  return known.filter((name) => wanted === undefined || wanted.includes(name) || alwaysRun.includes(name));
}

async function run(options: Options, names: readonly string[], root: string, signal: AbortSignal): Promise<number> {
  const start = (auditLevel: AuditLevel | undefined): Promise<LocalServer> =>
    LocalServer.start({ root, storeServers: options.storeServers, auditLevel, signal });
  await using own = options.server === undefined ? await start(options.auditLevel) : undefined;
  await using plain = options.plainPeer ? await start(undefined) : undefined;
  const peerAddress = options.peer ?? plain?.address;
  const address = options.server ?? own!.address;
  const loadOn = (address: ServerAddress): Promise<Load> => Load.open({ ...options, address, signal });
  await using server = await loadOn(address);
  await using peer = peerAddress === undefined ? undefined : await loadOn(peerAddress);
  console.log(
    `server ${address.url.origin}${own === undefined ? '' : ', started for this run'}` +
      `${peerAddress === undefined ? '' : `; peer ${peerAddress.url.origin}`}; ${options.contentType}\n\n${tableHead}`,
  );
  const reports: PhaseReport[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    if (options.rounds > 1) console.log(`round ${round}`);
    for (const name of names) {
      const report = await runPhase(name, { round, server, peer, options, peerFirst: reports.length % 2 === 1 });
      console.log(tableRows(report));
      reports.push(report);
    }
  }
  if (options.rounds > 2) console.log(medianRows(reports));
  if (options.jsonFile !== undefined) await writeJson(options.jsonFile, options, reports);
  return reports.some(({ server, peer }) => server.errors > 0 || (peer?.errors ?? 0) > 0) ? 1 : 0;
}

interface Turn {
  readonly round: number;
  readonly server: Load;
  readonly peer: Load | undefined;
  readonly options: Options;
  /** The two take turns in going first, as the second one meets a machine that is warm or tired. */
  readonly peerFirst: boolean;
}

async function runPhase(
  name: string,
  { round, server, peer, options: { sizes }, peerFirst }: Turn,
): Promise<PhaseReport> {
  const phase = phases[name]!;
  const before = peer !== undefined && peerFirst ? await phase(peer, sizes) : undefined;
  const ours = await phase(server, sizes);
  const theirs = peer !== undefined && !peerFirst ? await phase(peer, sizes) : before;
  return { round, phase: name, server: ours, peer: theirs, ratio: theirs && ratioOf(ours, theirs) };
}
