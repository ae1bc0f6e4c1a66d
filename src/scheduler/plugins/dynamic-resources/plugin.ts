/**
 * Pods with ResourceClaims go where their devices are: a claim that is allocated decides which nodes are possible, and
 * one that is not gets devices of the node that is chosen.
 *
 * @NOTE differs from upstream: a claim that is allocated for nodes on which its only pod does not fit stays allocated.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/ | Dynamic Resource
 *   Allocation}
 */
import { nodeSelectorPredicate } from '../../../api/core/nodes/node-selector.ts';
import {
  canBeReserved,
  claimFinalizer,
  claimOf,
  isReservedFor,
  ownerProblem,
  reservedFor,
} from '../../../api/resource/pod-claims.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type {
  AllocationResult,
  DeviceClass,
  ResourceClaim,
  ResourceSlice,
} from '../../../api/gen/types/resource-v1beta1.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client, Patch } from '../../../client/index.ts';
import { actions } from '../../framework/cluster-event.ts';
import type { StateData } from '../../framework/cycle-state.ts';
import type {
  EnqueuePlugin,
  FilterPlugin,
  Has,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  ReservePlugin,
} from '../../framework/plugin.ts';
import { failure, skip, unresolvable, unschedulable } from '../../framework/status.ts';
import { AssumedObjects } from '../volume-binding/assumed-objects.ts';
import { allocate } from './allocate.ts';
import { deviceKey, poolsOn } from './pools.ts';

const name = 'DynamicResources';
const skipped = { status: skip(name) };
const elsewhere = unschedulable(name, 'resourceclaim not available on the node');
const notEnough = unschedulable(name, 'cannot allocate all claims');

export interface DynamicResourcesParts {
  readonly claim: (key: string) => ResourceClaim | undefined;
  readonly claims: () => Iterable<ResourceClaim>;
  readonly slices: () => Iterable<ResourceSlice>;
  readonly deviceClass: (name: string) => DeviceClass | undefined;
  readonly client: Pick<Client, 'resource'>;
  readonly log: Logger;
}

class ClaimState implements StateData {
  readonly claims: readonly ResourceClaim[];
  /** What the claims that are not allocated would get, by the name of the node. */
  readonly byNode: Map<string, readonly AllocationResult[]>;

  constructor(claims: readonly ResourceClaim[], byNode = new Map<string, readonly AllocationResult[]>()) {
    this.claims = claims;
    this.byNode = byNode;
  }

  get open(): readonly ResourceClaim[] {
    return this.claims.filter(({ status }) => status?.allocation === undefined);
  }

  clone(): ClaimState {
    return new ClaimState(this.claims, new Map(this.byNode));
  }
}

type DynamicResources = Has<
  PreEnqueuePlugin & PreFilterPlugin & FilterPlugin & ReservePlugin & PreBindPlugin & EnqueuePlugin
>;

const keyOf = ({ metadata }: ResourceClaim): string => `${metadata.namespace}/${metadata.name}`;

export function createDynamicResources(parts: DynamicResourcesParts): DynamicResources {
  const { client, log } = parts;
  const assumed = new AssumedObjects<ResourceClaim>(parts.claim);
  /** Allocations that are being written, by the key of their claim. */
  const inFlight = new Map<string, ResourceClaim>();
  const current = (key: string): ResourceClaim | undefined => inFlight.get(key) ?? assumed.get(key);

  /** Throws an Error that says what is missing. */
  const claimsOf = (pod: Pod): ResourceClaim[] =>
    (pod.spec.resourceClaims ?? []).flatMap((podClaim) => {
      const found = claimOf(pod, podClaim);
      if (found === 'unneeded') return [];
      if (found === 'missing') throw new Error(`pod claim ${podClaim.name}: ResourceClaim not created yet`);
      const claim = assumed.get(`${pod.metadata.namespace}/${found.name}`);
      if (claim === undefined) throw new Error(`resourceclaim.resource.k8s.io "${found.name}" not found`);
      if (claim.metadata.deletionTimestamp !== undefined)
        throw new Error(`resourceclaim "${found.name}" is being deleted`);
      const problem = found.isGenerated ? ownerProblem(claim, pod) : undefined;
      if (problem !== undefined) throw new Error(problem);
      return [claim];
    });
  const takenDevices = (): ReadonlySet<string> => {
    const taken = new Set<string>();
    for (const each of parts.claims())
      for (const result of current(keyOf(each))?.status?.allocation?.devices.results ?? [])
        if (result.adminAccess !== true) taken.add(deviceKey(result));
    return taken;
  };
  const classProblem = (claims: readonly ResourceClaim[]): string | undefined => {
    for (const { status, spec } of claims)
      for (const { name: request, deviceClassName = '' } of status?.allocation === undefined
        ? (spec.devices.requests ?? [])
        : [])
        if (parts.deviceClass(deviceClassName) === undefined)
          return `request ${request}: device class ${deviceClassName} does not exist`;
    return undefined;
  };
  /** With its finalizer first: an allocation must not be lost with the claim. */
  const bind = async (
    claim: ResourceClaim,
    allocation: AllocationResult | undefined,
    pod: Pod,
    signal: AbortSignal,
  ): Promise<void> => {
    const claims = client.resource.v1beta1.resourceclaims.namespace(claim.metadata.namespace!);
    let written = claim;
    if (allocation !== undefined && !(claim.metadata.finalizers ?? []).includes(claimFinalizer)) {
      const finalizers = [...(claim.metadata.finalizers ?? []), claimFinalizer];
      written = await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } }, { signal });
    }
    const allocated = allocation === undefined ? written : { ...written, status: { ...written.status, allocation } };
    const next = isReservedFor(allocated, pod) ? allocated : reservedFor(allocated, pod);
    if (next !== claim) assumed.assume(keyOf(claim), await claims.status.update(next, { signal }));
  };
  /** What was written before the binding failed: the pod may go elsewhere. */
  const release = ({ metadata }: ResourceClaim, pod: Pod): void => {
    const claims = client.resource.v1beta1.resourceclaims.namespace(metadata.namespace!);
    const patch = {
      metadata: { uid: metadata.uid },
      status: { reservedFor: [{ $patch: 'delete', uid: pod.metadata.uid }] },
    };
    claims.status.patch(metadata.name!, { strategic: patch } as unknown as Patch).catch((error: unknown) => {
      log.warn({ err: error, claim: `${metadata.namespace}/${metadata.name}` }, 'a claim could not be given back');
    });
  };
  return {
    name,
    preEnqueue({ pod }) {
      try {
        claimsOf(pod);
        return undefined;
      } catch (error) {
        return unresolvable(name, (error as Error).message);
      }
    },
    preFilter(state, { pod }) {
      if ((pod.spec.resourceClaims ?? []).length === 0) return skipped;
      let claims: ResourceClaim[];
      try {
        claims = claimsOf(pod);
      } catch (error) {
        return { status: unresolvable(name, (error as Error).message) };
      }
      if (claims.length === 0) return skipped;
      for (const claim of claims) {
        if (inFlight.has(keyOf(claim)))
          return { status: unresolvable(name, 'resource claim is in the process of being allocated') };
        if (claim.status?.allocation !== undefined && !isReservedFor(claim, pod) && !canBeReserved(claim))
          return { status: unschedulable(name, 'resourceclaim in use') };
      }
      const problem = classProblem(claims);
      if (problem !== undefined) return { status: unresolvable(name, problem) };
      state.write(name, new ClaimState(claims));
      return undefined;
    },
    filter(state, _, { name: nodeName, node }) {
      const found = state.read<ClaimState>(name)!;
      for (const { status } of found.claims) {
        const selector = status?.allocation?.nodeSelector;
        if (selector !== undefined && !nodeSelectorPredicate(selector)(node!)) return elsewhere;
      }
      if (found.open.length === 0) return undefined;
      try {
        const pools = poolsOn(node!, parts.slices());
        const results = allocate({
          claims: found.open,
          node: node!,
          pools,
          taken: takenDevices(),
          classOf: parts.deviceClass,
        });
        if (results === undefined) return notEnough;
        found.byNode.set(nodeName, results);
        return undefined;
      } catch (error) {
        return failure(name, error);
      }
    },
    reserve(state, _, nodeName) {
      const found = state.read<ClaimState>(name);
      const results = found?.byNode.get(nodeName);
      found?.open.forEach((claim, i) => {
        inFlight.set(keyOf(claim), { ...claim, status: { ...claim.status, allocation: results![i]! } });
      });
      return undefined;
    },
    unreserve(state, { pod }) {
      const found = state.read<ClaimState>(name);
      for (const claim of found?.open ?? []) inFlight.delete(keyOf(claim));
      for (const { metadata } of found?.claims ?? []) {
        const claim = assumed.get(`${metadata.namespace}/${metadata.name}`);
        if (claim !== undefined && isReservedFor(claim, pod)) release(claim, pod);
      }
    },
    async preBind(state, { pod }, nodeName, signal) {
      const found = state.read<ClaimState>(name);
      if (found === undefined) return undefined;
      const results = found.byNode.get(nodeName) ?? [];
      try {
        for (const claim of found.claims) {
          const index = found.open.indexOf(claim);
          await bind(assumed.get(keyOf(claim)) ?? claim, index < 0 ? undefined : results[index], pod, signal);
          inFlight.delete(keyOf(claim));
        }
        return undefined;
      } catch (error) {
        return failure(name, error);
      }
    },
    events: [
      {
        resource: 'ResourceClaim',
        action: actions.add | actions.updateOther,
        hint: (pod, _, after) => mayHelp(pod, after as ResourceClaim),
      },
      // A claim that goes, or is allocated no more, has devices for others.
      { resource: 'ResourceClaim', action: actions.delete },
      { resource: 'UnscheduledPod', action: actions.updateOther },
      { resource: 'Node', action: actions.add | actions.updateNodeLabel },
      { resource: 'DeviceClass', action: actions.add | actions.updateOther },
      { resource: 'ResourceSlice', action: actions.add | actions.updateOther },
    ],
  };
}

/** A claim of the pod, or one that gives devices back. */
function mayHelp(pod: Pod, claim: ResourceClaim): boolean {
  if (claim.status?.allocation === undefined) return true;
  return (pod.spec.resourceClaims ?? []).some((podClaim) => {
    const found = claimOf(pod, podClaim);
    return (
      typeof found !== 'string' &&
      found.name === claim.metadata.name &&
      claim.metadata.namespace === pod.metadata.namespace
    );
  });
}
