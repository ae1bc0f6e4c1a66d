import { BoundedCache } from '../../../base/bounded-cache.ts';
import { baselineChecks } from './baseline.ts';
import type { Check, Finding, PodView } from './check.ts';
import { type LevelVersion, levelVersionText } from './policy.ts';
import { restrictedChecks } from './restricted.ts';

type Run = Check['versions'][number]['run'];

/** By level and version, which namespaces name. */
const runsOf = new BoundedCache<readonly Run[]>({
  maxBytes: 256 * 1024,
  maxKeyLength: 64,
  bytesOf: ({ length }) => 8 * length,
});

/** Everything that a pod does against a level of the standards. */
export function evaluatePod(policy: LevelVersion, pod: PodView): Finding[] {
  if (policy.level === 'privileged') return [];
  const key = levelVersionText(policy);
  let runs = runsOf.get(key);
  if (runs === undefined) {
    runs = select(policy);
    runsOf.set(key, runs);
  }
  return runs.flatMap((run) => run(pod) ?? []);
}

/** The checks of a level at a version, less those that a stricter one makes needless. */
function select({ level, version }: LevelVersion): Run[] {
  const minor = version === 'latest' ? Infinity : version;
  const runAt = ({ versions }: Check): Run | undefined => versions.findLast(({ from }) => from <= minor)?.run;
  const wanted = level === 'restricted' ? [...baselineChecks, ...restrictedChecks] : baselineChecks;
  const present = wanted.filter((check) => runAt(check) !== undefined);
  const overridden = new Set(present.map(({ overrides }) => overrides));
  return present.filter(({ id }) => !overridden.has(id)).map((check) => runAt(check)!);
}

/** `host namespaces (hostNetwork=true), privileged (…)` */
export const detailsText = (findings: readonly Finding[]): string =>
  findings.map(({ reason, detail }) => (detail === undefined ? reason : `${reason} (${detail})`)).join(', ');

export const reasonsText = (findings: readonly Finding[]): string => findings.map(({ reason }) => reason).join(', ');
