/**
 * Limit ranges of a namespace: fills in what containers leave open, then checks minimum, maximum and ratio.
 * @see {@link https://kubernetes.io/docs/concepts/policy/limit-range/ | Limit Ranges}
 */
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { PodResourcesOptions, ResourceSums } from '../../api/core/pods/pod-requests.ts';
import { podLimits, podRequests } from '../../api/core/pods/pod-requests.ts';
import { maxFieldErrors } from '../../machinery/field-errors.ts';
import { createMap } from '../../machinery/value.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';
import { type Amounts, violations } from './limit-range-violations.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

const annotation = 'kubernetes.io/limit-ranger';

export interface LimitRangerOptions {
  readonly objects: CachedObjects;
  readonly featureEnabled: (gate: string) => boolean;
}

export function createLimitRanger({ objects, featureEnabled }: LimitRangerOptions): AdmissionPlugin {
  // Limits are about what users ask for: neither what a node has granted nor the overhead of a runtime class counts.
  const podResources = { podLevel: featureEnabled('PodLevelResources'), fromStatus: false, overhead: false };
  const limitsIn = async ({ namespace }: AdmissionAttributes): Promise<LimitRangeItem[][]> =>
    (await objects.list<LimitRange>('', 'limitranges', namespace)).map(({ spec }) => spec?.limits ?? []);
  // What was read to fill the defaults in is what the same object is checked against.
  const applied = new WeakMap<object, LimitRangeItem[][]>();
  return {
    name: 'LimitRanger',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit(attributes) {
      if (!isPod(attributes)) return undefined;
      return limitsIn(attributes).then((ranges) => {
        applied.set(attributes.object!, ranges);
        checkWork(attributes, ranges);
        for (const limits of ranges) setDefaults(attributes.object as Pod, limits);
      });
    },
    validate(attributes) {
      const isClaim = isAbout(attributes, '', 'persistentvolumeclaims');
      if ((!isClaim && !isPod(attributes)) || attributes.oldObject?.metadata?.deletionTimestamp !== undefined)
        return undefined;
      const known = applied.get(attributes.object!);
      if (known === undefined)
        return limitsIn(attributes).then((ranges) => check(attributes, ranges, isClaim ? undefined : podResources));
      check(attributes, known, isClaim ? undefined : podResources);
      return undefined;
    },
  };
}

/** Amounts of limit ranges times containers: each container gets the defaults, and is compared with the limits. */
const maxComparisons = 1_000_000;

function checkWork(attributes: AdmissionAttributes, ranges: readonly LimitRangeItem[][]): void {
  const { containers = [], initContainers = [] } = (attributes.object as Pod).spec;
  const amounts = ranges
    .flat()
    .reduce(
      (sum, item) =>
        sum +
        [item.min, item.max, item.maxLimitRequestRatio, item.default, item.defaultRequest].reduce(
          (count, list) => count + Object.keys(list ?? {}).length,
          1,
        ),
      0,
    );
  if (amounts * (containers.length + initContainers.length) > maxComparisons)
    throw refused(attributes, 'too many containers for so many limits');
}

/** @param podResources undefined for claims */
function check(
  attributes: AdmissionAttributes,
  ranges: readonly LimitRangeItem[][],
  podResources: PodResourcesOptions | undefined,
): void {
  if (podResources !== undefined) checkWork(attributes, ranges);
  for (const limits of ranges) {
    const found = firstOf(
      podResources === undefined
        ? claimViolations(attributes.object as PersistentVolumeClaim, limits)
        : podViolations(attributes.object as Pod, limits, podResources),
    );
    if (found.length > 0)
      throw refused(attributes, found.length === 1 ? found[0]! : `[${[...new Set(found)].join(', ')}]`);
  }
}

/** As many as a refusal tells. */
function firstOf(violations: Iterable<string>): string[] {
  const first: string[] = [];
  for (const text of violations) if (first.push(text) >= maxFieldErrors) break;
  return first;
}

/** Sizes of containers are fixed once they are created, but for a resize. */
function isPod(attributes: AdmissionAttributes): boolean {
  const { operation, subresource, resource } = attributes;
  if (operation === 'CREATE') return isAbout(attributes, '', 'pods');
  return subresource === 'resize' && resource.group === '' && resource.resource === 'pods';
}

function setDefaults({ metadata, spec }: Pod, limits: readonly LimitRangeItem[]): void {
  const requests: Amounts = createMap<string>();
  const maximums: Amounts = createMap<string>();
  for (const { type, defaultRequest, default: limit } of limits) {
    if (type !== 'Container') continue;
    Object.assign(requests, defaultRequest);
    Object.assign(maximums, limit);
  }
  const notes = [
    ...fill(spec.containers, 'container', requests, maximums),
    ...fill(spec.initContainers, 'init container', requests, maximums),
  ];
  if (notes.length === 0) return;
  metadata.annotations ??= createMap<string>();
  metadata.annotations[annotation] = `LimitRanger plugin set: ${notes.join('; ')}`;
}

/** Returns what was set, for the annotation. */
function fill(
  containers: readonly Container[] | undefined,
  what: string,
  requests: Amounts,
  limits: Amounts,
): string[] {
  return (containers ?? []).flatMap((container) =>
    (['requests', 'limits'] as const).flatMap((part) => {
      const set = setMissing(container, part, part === 'requests' ? requests : limits);
      return set.length === 0
        ? []
        : [`${set.sort().join(', ')} ${part === 'requests' ? 'request' : 'limit'} for ${what} ${container.name ?? ''}`];
    }),
  );
}

function setMissing(container: Container, part: 'requests' | 'limits', defaults: Amounts): string[] {
  const missing = Object.keys(defaults).filter((name) => container.resources?.[part]?.[name] === undefined);
  if (missing.length === 0) return [];
  const own = Object.assign(createMap<string>(), container.resources?.[part]);
  for (const name of missing) own[name] = defaults[name]!;
  container.resources = { ...container.resources, [part]: own };
  return missing;
}

function* podViolations(pod: Pod, limits: readonly LimitRangeItem[], options: PodResourcesOptions): Generator<string> {
  const { spec } = pod;
  for (const limit of limits) {
    if (limit.type === 'Pod')
      yield* violations(limit, amountsOf(podRequests(pod, options)), amountsOf(podLimits(pod, options)));
    if (limit.type !== 'Container') continue;
    for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      yield* violations(limit, resources?.requests ?? {}, resources?.limits ?? {});
  }
}

const amountsOf = (sums: ResourceSums): Amounts =>
  Object.fromEntries([...sums].map(([name, amount]) => [name, amount.toString()]));

/** Claims have requests only. */
function claimViolations({ spec }: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((limit) =>
      violations({ ...limit, maxLimitRequestRatio: undefined }, spec.resources?.requests ?? {}, undefined),
    );
}
