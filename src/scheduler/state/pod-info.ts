/** What the scheduler computes of a pod once, for all that look at it later. */
import { claimKeys } from '../../api/core/pods/claims.ts';
import type { Pod, PodAffinityTerm, PodSpec, WeightedPodAffinityTerm } from '../../api/gen/types/core-v1.ts';
import { podRequests, type ResourceSums } from '../../api/core/pods/pod-requests.ts';
import { affinityTerm, type AffinityTerm } from './affinity-term.ts';
import { type HostPort, hostPortsOf } from '../../api/core/pods/host-ports.ts';
import { Resources } from './resources.ts';

const noTerms: readonly AffinityTerm[] = [];
/** How the scheduler counts what pods ask for. */
export const requestOptions = { podLevel: false, fromStatus: false, overhead: true };

/**
 * What scores take a container for that asks for nothing, so that such pods spread over nodes too. As upstream's.
 */
const assumedRequests: Readonly<Record<string, string>> = { cpu: '100m', memory: '200Mi' };

export class PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly priority: number;
  readonly requests: Resources;
  /** What scores count with. */
  readonly scoredMilliCpu: number;
  readonly scoredMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
  /** `namespace/name` of the claims of its volumes. */
  readonly claims: readonly string[];
  /** Set for terms that cannot be read, which the API does not let in: there are no terms then. */
  readonly affinityError: Error | undefined;

  /** @param known of the pod before a change: what is computed is taken from it where {@link saysTheSame} */
  constructor(pod: Pod, known?: PodInfo) {
    const { metadata, spec } = pod;
    this.pod = pod;
    this.uid = metadata.uid ?? '';
    this.namespace = metadata.namespace ?? '';
    this.name = metadata.name ?? '';
    this.priority = spec.priority ?? 0;
    if (known !== undefined) {
      this.requests = known.requests;
      this.scoredMilliCpu = known.scoredMilliCpu;
      this.scoredMemory = known.scoredMemory;
      this.hostPorts = known.hostPorts;
      this.requiredAffinity = known.requiredAffinity;
      this.requiredAntiAffinity = known.requiredAntiAffinity;
      this.preferredAffinity = known.preferredAffinity;
      this.preferredAntiAffinity = known.preferredAntiAffinity;
      this.affinityError = known.affinityError;
      this.claims = known.claims;
      return;
    }
    const sums = podRequests(pod, requestOptions);
    this.requests = fromSums(sums);
    const scored = asksForAll(spec) ? sums : podRequests(pod, { ...requestOptions, missing: assumedRequests });
    this.scoredMilliCpu = Number(scored.get('cpu')?.milliValue() ?? 0);
    this.scoredMemory = Number(scored.get('memory')?.value() ?? 0);
    this.hostPorts = hostPortsOf(spec);
    const terms = termsOf(pod);
    this.requiredAffinity = terms.requiredAffinity;
    this.requiredAntiAffinity = terms.requiredAntiAffinity;
    this.preferredAffinity = terms.preferredAffinity;
    this.preferredAntiAffinity = terms.preferredAntiAffinity;
    this.affinityError = terms.affinityError;
    this.claims = claimKeys(pod);
  }

  /**
   * Whether nothing that is computed or counted of the pod has changed, its node apart. Informers keep parts that are
   * equal (`reconcile/share-equal-parts.ts`), so that it is enough to see whether they are the same.
   */
  saysTheSame({ metadata, spec }: Pod): boolean {
    const before = this.pod;
    return (
      metadata.uid === this.uid &&
      metadata.name === this.name &&
      metadata.namespace === before.metadata.namespace &&
      metadata.labels === before.metadata.labels &&
      metadata.deletionTimestamp === before.metadata.deletionTimestamp &&
      hasSameMembers(before.spec, spec)
    );
  }

  get hasAffinity(): boolean {
    return (
      this.requiredAffinity.length > 0 ||
      this.requiredAntiAffinity.length > 0 ||
      this.preferredAffinity.length > 0 ||
      this.preferredAntiAffinity.length > 0
    );
  }
}

function hasSameMembers(before: PodSpec, after: PodSpec): boolean {
  for (const name in before) if (name !== 'nodeName' && !isSame(before, after, name)) return false;
  for (const name in after) if (name !== 'nodeName' && !isSame(before, after, name)) return false;
  return true;
}

const isSame = (before: PodSpec, after: PodSpec, name: string): boolean =>
  before[name as keyof PodSpec] === after[name as keyof PodSpec];

type Terms = Pick<
  PodInfo,
  'requiredAffinity' | 'requiredAntiAffinity' | 'preferredAffinity' | 'preferredAntiAffinity' | 'affinityError'
>;

const withoutTerms: Terms = {
  requiredAffinity: noTerms,
  requiredAntiAffinity: noTerms,
  preferredAffinity: noTerms,
  preferredAntiAffinity: noTerms,
  affinityError: undefined,
};

function termsOf(pod: Pod): Terms {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return withoutTerms;
  try {
    return {
      requiredAffinity: requiredTerms(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
      requiredAntiAffinity: requiredTerms(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
      preferredAffinity: preferredTerms(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
      preferredAntiAffinity: preferredTerms(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
      affinityError: undefined,
    };
  } catch (error) {
    return { ...withoutTerms, affinityError: error as Error };
  }
}

const requiredTerms = (pod: Pod, terms: readonly PodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
  terms === undefined || terms.length === 0 ? noTerms : terms.map((term) => affinityTerm(pod, term));

const preferredTerms = (pod: Pod, terms: readonly WeightedPodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
  terms === undefined || terms.length === 0
    ? noTerms
    : terms.map(({ podAffinityTerm, weight = 0 }) => affinityTerm(pod, podAffinityTerm, weight));

function fromSums(sums: ResourceSums): Resources {
  const resources = new Resources();
  for (const [name, amount] of sums) resources.set(name, Number(name === 'cpu' ? amount.milliValue() : amount.value()));
  return resources;
}

const asksForAll = ({ containers = [], initContainers = [] }: PodSpec): boolean =>
  [...containers, ...initContainers].every(
    ({ resources }) => resources?.requests?.['cpu'] !== undefined && resources.requests['memory'] !== undefined,
  );
