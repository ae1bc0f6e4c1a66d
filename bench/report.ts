/** What a run prints and writes. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Measured } from './measure.ts';
import type { Options } from './options.ts';

export interface PhaseReport {
  /** From 1. */
  readonly round: number;
  readonly phase: string;
  readonly server: Measured;
  readonly peer: Measured | undefined;
  /** Server by peer, with a peer. */
  readonly ratio: Ratio | undefined;
}

export type Ratio = { readonly [K in Compared]: number | undefined };
const compared = ['operationsPerSecond', 'p50Ms', 'p99Ms', 'cpuMicroseconds', 'residentMegabytes'] as const;
type Compared = (typeof compared)[number];

export function ratioOf(server: Measured, peer: Measured): Ratio {
  const of = (name: Compared): number | undefined => {
    const [ours, theirs] = [server[name], peer[name]];
    return ours === undefined || theirs === undefined || theirs === 0 ? undefined : ours / theirs;
  };
  return Object.fromEntries(compared.map((name) => [name, of(name)])) as Ratio;
}

const widths = [12, 13, 8, 7, 10, 9, 9, 10, 9, 11];
const row = (cells: readonly string[]): string =>
  cells
    .map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
    .join('')
    .trimEnd();

export const tableHead = row([
  'phase',
  '',
  'ops',
  'errors',
  'ops/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/op',
  'RSS MB',
  'driver CPU',
]);

/** The lines of one phase, and below them the first error of each server. */
export function tableRows({ phase, server, peer, ratio }: PhaseReport): string {
  const lines = [measuredRow(phase, 'server', server)];
  if (peer !== undefined) lines.push(measuredRow('', 'peer', peer));
  if (ratio !== undefined)
    lines.push(row(['', 'server/peer', '', '', ...compared.map((name) => figure(ratio[name], 2))]));
  for (const [name, measured] of Object.entries({ server, peer }))
    if (measured?.firstError !== undefined) lines.push(`  first error of the ${name}: ${measured.firstError}`);
  return lines.join('\n');
}

/**
 * The CPU of each phase over all rounds, the first among them: what other work on the machine does to one round does
 * less to these.
 */
export function medianRows(reports: readonly PhaseReport[]): string {
  const lines = [`\nCPU µs/op over ${reports.at(-1)!.round} rounds: median, least`];
  for (const phase of new Set(reports.map((report) => report.phase))) {
    const rounds = reports.filter((report) => report.phase === phase);
    const of = (name: string, values: readonly (number | undefined)[]): void => {
      const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
      if (known.length > 0)
        lines.push(
          [
            phase.padEnd(widths[0]!),
            name.padEnd(widths[1]!),
            figure(median(known), 1).padStart(8),
            figure(known[0], 1).padStart(8),
          ].join(''),
        );
    };
    of(
      'server',
      rounds.map(({ server }) => server.cpuMicroseconds),
    );
    of(
      'peer',
      rounds.map(({ peer }) => peer?.cpuMicroseconds),
    );
    of(
      'server-peer',
      rounds.map(({ server, peer }) =>
        peer === undefined || server.cpuMicroseconds === undefined || peer.cpuMicroseconds === undefined
          ? undefined
          : server.cpuMicroseconds - peer.cpuMicroseconds,
      ),
    );
  }
  return lines.join('\n');
}

export const median = (sorted: readonly number[]): number =>
  (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;

const measuredRow = (phase: string, name: string, m: Measured): string =>
  row([
    phase,
    name,
    String(m.operations),
    String(m.errors),
    figure(m.operationsPerSecond, 0),
    figure(m.p50Ms, 2),
    figure(m.p99Ms, 2),
    figure(m.cpuMicroseconds, 0),
    figure(m.residentMegabytes, 0),
    `${figure(m.driverCpuShare * 100, 0)} %`,
  ]);

const figure = (value: number | undefined, digits: number): string => value?.toFixed(digits) ?? '-';

export async function writeJson(
  file: string,
  { contentType, gzip, sessions, sizes }: Options,
  phases: readonly PhaseReport[],
): Promise<void> {
  const machine = {
    platform: process.platform,
    arch: process.arch,
    node: process.version,
    cpus: availableParallelism(),
  };
  const load = { contentType, gzip, sessions, ...sizes };
  const report = { date: new Date().toISOString(), machine, load, phases };
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`);
}
