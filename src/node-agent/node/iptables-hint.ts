/**
 * Keeps the chain by which programs in containers see which of the two iptables the node uses: one of them has it.
 * @see {@link https://kep.k8s.io/3178 | KEP-3178: Cleaning up IPTables Chain Ownership}
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { pause } from '../../reconcile/pause.ts';

export const hintChain = 'KUBE-IPTABLES-HINT';

export interface IptablesHintOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Rejects with what the program says, as `stderr`. */
  readonly run?: ((program: string, words: readonly string[]) => Promise<unknown>) | undefined;
}

const programs = ['iptables', 'ip6tables'] as const;
/** A firewall that is loaded anew takes chains away. */
const everyMs = 60_000;
const timeoutMs = 10_000;

const runProgram = (program: string, words: readonly string[]): Promise<unknown> =>
  promisify(execFile)(program, words, { timeout: timeoutMs });

/** Until the signal aborts. A machine without a program, or whose kernel has no such table, says so once. */
export async function keepIptablesHint(
  { clock, log, run = runProgram }: IptablesHintOptions,
  signal: AbortSignal,
): Promise<void> {
  const left = new Set<string>(programs);
  while (!signal.aborted && left.size > 0) {
    for (const program of left)
      try {
        await run(program, ['-w', '5', '-t', 'mangle', '-N', hintChain]);
      } catch (error) {
        const { stderr = '', message } = error as Error & { readonly stderr?: string };
        if (stderr.includes('exists')) continue;
        left.delete(program);
        log.warn({ program, reason: stderr.trim() || message }, `the chain ${hintChain} could not be made`);
      }
    await pause(clock, everyMs, signal);
  }
}
