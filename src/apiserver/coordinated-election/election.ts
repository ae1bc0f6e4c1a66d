/**
 * What an election comes to: which of the candidates of a lease is to hold it, and what has to be done first. Pure.
 *
 * 1. There is an election when nobody holds the lease, its time is over, or another candidate would be better.
 * 2. Candidates that have not renewed within the last seconds are asked whether they are alive, and have as long to
 *    answer. Those that do not are passed over.
 * 3. The best of the others is elected: at once when the lease is free, else as its preferred holder.
 * @see {@link https://kep.k8s.io/4355 | KEP-4355: coordinated leader election}
 */
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import type { LeaseCandidate } from '../../api/gen/types/coordination-v1alpha2.ts';
import {
  compareSemanticVersions,
  parseSemanticVersion,
  type SemanticVersion,
} from '../../machinery/formats/semantic-version.ts';
import { parseMicroTime, parseTime } from '../../machinery/time.ts';

/** How long candidates have to answer. */
export const electionMs = 5000;
/** A candidate that has not renewed for so long is no candidate any more. */
export const candidateValidMs = 300_000;
const oldestEmulation = 'OldestEmulationVersion';

/** What is to be done now. */
export type Step =
  /** Nothing, until something changes. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Ask these candidates whether they are alive. */
  | { readonly kind: 'ask'; readonly candidates: readonly LeaseCandidate[] }
  /** Give the lease to the candidate. */
  | { readonly kind: 'elect'; readonly winner: string }
  /** Have its holder give it up. */
  | { readonly kind: 'prefer'; readonly winner: string }
  | { readonly kind: 'fail'; readonly message: string };

const microMs = (time: string | undefined): number => {
  if (time === undefined) return -Infinity;
  const { seconds, nanos } = parseMicroTime(time);
  return seconds * 1000 + nanos / 1_000_000;
};

export const isCandidateExpired = ({ spec }: LeaseCandidate, nowMs: number): boolean =>
  microMs(spec.renewTime) + candidateValidMs < nowMs;

/** @param isEnded whether the time of the lease is over, as far as this server saw */
export function nextStep(
  lease: Lease | undefined,
  all: readonly LeaseCandidate[],
  { nowMs, isEnded }: { readonly nowMs: number; readonly isEnded: boolean },
): Step {
  const candidates = all.filter((candidate) => !isCandidateExpired(candidate, nowMs));
  if (candidates.length === 0) return { kind: 'nothing' };
  const holder = isEnded ? '' : (lease?.spec.holderIdentity ?? '');
  const wanted = bestOf(candidates.filter((each) => !isAsked(each) || answerDueMs(each, nowMs) > 0))?.metadata.name;
  if (holder !== '' && (holder === wanted || lease?.spec.preferredHolder === wanted)) return { kind: 'nothing' };

  const waitMs = Math.max(0, ...candidates.map((candidate) => answerDueMs(candidate, nowMs)));
  if (waitMs > 0) return { kind: 'wait', ms: waitMs };
  const asked = candidates.filter((candidate) => isSilent(candidate, nowMs) && !isAsked(candidate));
  if (asked.length > 0) return { kind: 'ask', candidates: asked };

  const alive = candidates.filter((candidate) => !isAsked(candidate));
  if (alive.length === 0) return { kind: 'fail', message: 'no candidate is alive' };
  const strategy = strategyOf(alive);
  if (strategy instanceof Error) return { kind: 'fail', message: strategy.message };
  if (strategy !== oldestEmulation) return { kind: 'nothing' };
  const winner = bestOf(alive)?.metadata.name;
  if (winner === undefined) return { kind: 'fail', message: 'no candidate has versions that can be compared' };
  if (holder === '') return { kind: 'elect', winner };
  return winner === holder || lease?.spec.preferredHolder === winner ? { kind: 'nothing' } : { kind: 'prefer', winner };
}

const isAsked = ({ spec }: LeaseCandidate): boolean => microMs(spec.pingTime) > microMs(spec.renewTime);

/** How much longer an answer is waited for. */
const answerDueMs = (candidate: LeaseCandidate, nowMs: number): number =>
  isAsked(candidate) ? microMs(candidate.spec.pingTime) + electionMs - nowMs : 0;

/** Another candidate may have taken all the time that there is: an answer counts for as long again. */
const isSilent = ({ spec }: LeaseCandidate, nowMs: number): boolean =>
  microMs(spec.renewTime) + electionMs < nowMs && microMs(spec.pingTime) + 2 * electionMs < nowMs;

interface Versions {
  readonly emulation: SemanticVersion;
  readonly binary: SemanticVersion;
}

function versionsOf({ spec: { emulationVersion = '', binaryVersion = '' } }: LeaseCandidate): Versions | undefined {
  const [emulation, binary] = [emulationVersion, binaryVersion].map(parseSemanticVersion);
  return emulation === undefined || binary === undefined ? undefined : { emulation, binary };
}

/** The oldest emulated version, then the oldest program, then the oldest object. */
function bestOf(candidates: readonly LeaseCandidate[]): LeaseCandidate | undefined {
  const able = candidates.flatMap((candidate) => {
    const versions = versionsOf(candidate);
    return versions === undefined ? [] : [{ candidate, versions }];
  });
  const [best] = able.sort(
    (a, b) =>
      compareSemanticVersions(a.versions.emulation, b.versions.emulation) ||
      compareSemanticVersions(a.versions.binary, b.versions.binary) ||
      createdAt(a.candidate) - createdAt(b.candidate) ||
      (a.candidate.metadata.name! < b.candidate.metadata.name! ? -1 : 1),
  );
  return best?.candidate;
}

const createdAt = ({ metadata: { creationTimestamp } }: LeaseCandidate): number =>
  creationTimestamp === undefined ? 0 : parseTime(creationTimestamp).seconds;

/** That of the newest programs, which have to agree. */
function strategyOf(candidates: readonly LeaseCandidate[]): string | Error {
  const zero: SemanticVersion = { numbers: [0n, 0n, 0n], preRelease: [] };
  let newest: { readonly version: SemanticVersion; readonly candidate: LeaseCandidate } | undefined;
  for (const candidate of candidates) {
    const version = parseSemanticVersion(candidate.spec.binaryVersion ?? '') ?? zero;
    const order = newest === undefined ? 1 : compareSemanticVersions(version, newest.version);
    if (order > 0) newest = { version, candidate };
    else if (order === 0 && candidate.spec.strategy !== newest!.candidate.spec.strategy)
      return new Error(
        `the candidates ${newest!.candidate.metadata.name} and ${candidate.metadata.name} have the same version and ` +
          'different strategies',
      );
  }
  return newest?.candidate.spec.strategy ?? '';
}
