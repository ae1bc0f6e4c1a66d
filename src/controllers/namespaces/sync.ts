/** What a namespace that is being deleted says of its content. */
import type { NamespaceCondition, Pod } from '../../api/gen/types/core-v1.ts';
import { failureMessage } from '../../client/discovery/resources.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { formatMs } from '../shared/times.ts';

/** What is left of one resource after its objects were deleted. */
export interface Remaining {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
  /** How many of them have a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface Findings {
  /** Why resources are unknown, all or some. */
  readonly discoveryFailure: string | undefined;
  /** Why objects of a resource could not be deleted or counted. */
  readonly deletionFailures: readonly string[];
  /** Undefined where no resource is known: nothing is said of the content then. */
  readonly remaining: readonly Remaining[] | undefined;
}

/** @param failures groups and versions whose resources are unknown, with the reason */
export const discoveryFailureOf = (failures: ReadonlyMap<string, string>): string | undefined =>
  failures.size === 0
    ? undefined
    : `Discovery failed for some groups, ${failures.size} failing: ${failureMessage(failures)}`;

type Finding = Pick<NamespaceCondition, 'reason' | 'message'>;

/** In the order in which they are added: by type, what is said when all is well, and what when it is not. */
const conditionTypes: readonly {
  readonly type: string;
  readonly fine: Finding;
  readonly problem: (findings: Findings) => Finding | undefined;
}[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    problem: ({ discoveryFailure: message }) =>
      message === undefined ? undefined : { reason: 'DiscoveryFailed', message },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    problem: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: {
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    problem: ({ deletionFailures: failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${sorted(failures)}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    fine: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    problem({ remaining = [] }) {
      const left = remaining.filter(({ count }) => count > 0);
      if (left.length === 0) return undefined;
      const texts = left.map(({ resource, group, count }) => `${resource}.${group} has ${count} resource instances`);
      return { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${sorted(texts)}` };
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    problem({ remaining = [] }) {
      const counts = new Map<string, number>();
      for (const { finalizers } of remaining)
        for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count);
      if (counts.size === 0) return undefined;
      const texts = [...counts].map(([name, count]) => `${name} in ${count} resource instances`);
      const message = `Some content in the namespace has finalizers remaining: ${sorted(texts)}`;
      return { reason: 'SomeFinalizersRemain', message };
    },
  },
];

const sorted = (texts: readonly string[]): string => [...texts].sort().join(', ');

/**
 * @param before the conditions that the namespace has
 * @param nowMs since 1970
 * @returns undefined when they say all this already
 */
export function conditionsAfter(
  before: readonly NamespaceCondition[],
  findings: Findings,
  nowMs: number,
): NamespaceCondition[] | undefined {
  const after = [...before];
  let isChanged = false;
  const types = findings.remaining === undefined ? conditionTypes.slice(0, 1) : conditionTypes;
  for (const { type, fine, problem } of types) {
    const found = problem(findings);
    const said = { type, status: found === undefined ? ('False' as const) : ('True' as const), ...(found ?? fine) };
    const index = after.findIndex((condition) => condition.type === type);
    const old = after[index];
    if (old?.status === said.status && old.reason === said.reason && old.message === said.message) continue;
    isChanged = true;
    const lastTransitionTime =
      old !== undefined && old.status === said.status ? old.lastTransitionTime : formatMs(nowMs);
    const condition = {
      ...said,
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    } as NamespaceCondition;
    if (index < 0) after.push(condition);
    else after[index] = condition;
  }
  return isChanged ? after : undefined;
}

/**
 * Seconds until pods that end in good order are gone.
 * @param sinceMs how long the namespace has been deleted
 */
export function graceSeconds(pods: readonly Pod[], sinceMs: number): number {
  let longest = 0;
  for (const pod of pods)
    if (!isPodTerminal(pod)) longest = Math.max(longest, Number(pod.spec.terminationGracePeriodSeconds ?? 0));
  return Math.max(0, longest - Math.floor(sinceMs / 1000));
}

/** Of objects whose finalizers other controllers remove. */
export const finalizerEstimateSeconds = 15;

/**
 * How long what remains is let be: at most half of the estimate, and no more than a quarter of the time that it has
 * taken so far. Most pods end long before their grace does, and the namespace with them.
 * @param waitedMs since its deletion was seen
 */
export const nextLookMs = (estimateSeconds: number, waitedMs: number): number =>
  Math.min((Math.floor(estimateSeconds / 2) + 1) * 1000, Math.max(1000, waitedMs / 4));
