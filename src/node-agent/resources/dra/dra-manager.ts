/**
 * Devices of ResourceClaims: drivers make them ready before the containers of a pod start, and take them back when the
 * last pod that uses the claim has ended.
 * @see {@link https://kep.k8s.io/4381 | KEP-4381: Dynamic Resource Allocation with Structured Parameters}
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import type { ResourceClaim } from '../../../api/gen/types/resource-v1beta1.ts';
import { claimOf, isReservedFor, ownerProblem } from '../../../api/resource/pod-claims.ts';
import { runtimeErrorText } from '../../runtime/container-runtime.ts';
import { CheckpointWriter, readCheckpoint } from '../checkpoint-file.ts';
import type { DynamicResource } from '../pod-resources/gen/pod-resources.ts';
import { formatClaims, parseClaims, type PreparedClaim, type PreparedDevice } from './claim-state.ts';
import type { DraPlugins } from './dra-plugins.ts';
import type { Claim } from './gen/dra-plugin.ts';

export interface DraManagerOptions {
  /** `/var/lib/kubelet/dra_manager_state` */
  readonly checkpoint: string;
  readonly plugins: Pick<DraPlugins, 'callsOf'>;
  /** As the API server has it; undefined when it is gone. */
  readonly readClaim: (namespace: string, name: string) => Promise<ResourceClaim | undefined>;
}

export class DraManager {
  readonly #options: DraManagerOptions;
  /** By uid of the claim. */
  readonly #claims = new Map<string, PreparedClaim>();
  /** Those that drivers are asked for now. */
  readonly #open = new Set<string>();
  readonly #writer: CheckpointWriter;
  /** Pods one after the other: two that share a claim are not made ready at the same time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DraManagerOptions) {
    this.#options = options;
    this.#writer = new CheckpointWriter(options.checkpoint, () => formatClaims([...this.#claims.values()]));
  }

  /** Takes over what was ready. Rejects with a `CheckpointError`. */
  async restore(): Promise<void> {
    const text = await readCheckpoint(this.#options.checkpoint);
    for (const claim of text === undefined ? [] : parseClaims(text)) this.#claims.set(claim.uid, claim);
  }

  uids(): readonly string[] {
    return [...new Set([...this.#claims.values()].flatMap(({ podUids }) => podUids))];
  }

  /** Has the claims of the pod made ready. What is ready already stays. Rejects when a driver does not do it. */
  prepare(pod: Pod): Promise<void> {
    return this.#isReady(pod) ? Promise.resolve() : this.#inTurn(() => this.#prepare(pod));
  }

  /** The pod has ended: claims that no other pod uses are taken back. Rejects when a driver does not do it. */
  unprepare(uid: string): Promise<void> {
    return this.uids().includes(uid) ? this.#inTurn(() => this.#unprepare(uid)) : Promise.resolve();
  }

  /** Names of devices for a container. Throws for a claim that is not ready. */
  cdiDevicesOf(pod: Pod, container: string): readonly string[] {
    return this.#usesOf(pod, container).flatMap(({ devices }) => devices.flatMap(({ cdiIds }) => cdiIds));
  }

  /** As programs that monitor devices are told. */
  resourcesOf(pod: Pod, { name = '' }: Container): readonly DynamicResource[] {
    const byClaim = new Map<PreparedClaim, DynamicResource['claimResources']>();
    for (const { claim, driver, devices } of this.#usesOf(pod, name)) {
      const resources = devices.map(({ pool, device, cdiIds }) => ({
        cdiDevices: cdiIds.map((id) => ({ name: id })),
        driverName: driver,
        poolName: pool,
        deviceName: device,
      }));
      byClaim.set(claim, [...(byClaim.get(claim) ?? []), ...resources]);
    }
    return [...byClaim].map(([claim, claimResources]) => ({
      claimName: claim.name,
      claimNamespace: claim.namespace,
      claimResources: claimResources ?? [],
    }));
  }

  #usesOf(pod: Pod, container: string): { claim: PreparedClaim; driver: string; devices: readonly PreparedDevice[] }[] {
    const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])];
    const used = containers.find(({ name }) => name === container)?.resources?.claims ?? [];
    return used.flatMap(({ name = '', request = '' }) => {
      const ref = pod.spec.resourceClaims?.find((each) => each.name === name);
      const named = ref === undefined ? 'missing' : claimOf(pod, ref);
      if (named === 'unneeded') return [];
      const claim = named === 'missing' ? undefined : this.#find(pod.metadata.namespace ?? '', named.name);
      if (claim === undefined) throw new Error(`unable to get claim info for claim ${name}: claim info not found`);
      return [...claim.drivers].map(([driver, devices]) => ({
        claim,
        driver,
        devices: devices.filter(({ requests }) => request === '' || requests.includes(request)),
      }));
    });
  }

  #isReady(pod: Pod): boolean {
    const { namespace = '', uid = '' } = pod.metadata;
    return (pod.spec.resourceClaims ?? []).every((ref) => {
      const named = claimOf(pod, ref);
      if (typeof named === 'string') return named === 'unneeded';
      const claim = this.#find(namespace, named.name);
      return claim?.podUids.includes(uid) === true && !this.#open.has(claim.uid);
    });
  }

  #find(namespace: string, name: string): PreparedClaim | undefined {
    return [...this.#claims.values()].find((claim) => claim.namespace === namespace && claim.name === name);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #prepare(pod: Pod): Promise<void> {
    const open: ResourceClaim[] = [];
    let hasChanged = false;
    for (const claim of await this.#claimsOf(pod)) {
      const known = this.#claims.get(claim.metadata.uid ?? '');
      if (known === undefined) open.push(claim);
      else if (!known.podUids.includes(pod.metadata.uid ?? '')) {
        this.#claims.set(known.uid, { ...known, podUids: [...known.podUids, pod.metadata.uid ?? ''] });
        hasChanged = true;
      }
    }
    if (hasChanged) await this.#writer.save();
    for (const claim of open) await this.#prepareClaim(claim, pod);
  }

  async #prepareClaim(claim: ResourceClaim, pod: Pod): Promise<void> {
    const { uid = '', name = '', namespace = '' } = claim.metadata;
    const results = claim.status?.allocation?.devices?.results ?? [];
    const drivers = new Map<string, readonly PreparedDevice[]>();
    const known = { uid, name, namespace, podUids: [pod.metadata.uid ?? ''], drivers };
    for (const { driver = '' } of results) drivers.set(driver, []);
    // Written before drivers are asked: what they have begun is taken back, also by an agent that starts anew.
    this.#claims.set(uid, known);
    this.#open.add(uid);
    await this.#writer.save();
    try {
      for (const driver of drivers.keys()) drivers.set(driver, await this.#ask(driver, { uid, name, namespace }));
    } catch (error) {
      this.#claims.delete(uid);
      await this.#writer.save();
      throw error;
    } finally {
      this.#open.delete(uid);
    }
    await this.#writer.save();
  }

  async #ask(driver: string, claim: Claim): Promise<readonly PreparedDevice[]> {
    const answer = await this.#options.plugins
      .callsOf(driver)
      .nodePrepareResources({ claims: [claim] })
      .catch((error: unknown) => {
        throw new Error(`NodePrepareResources failed: ${runtimeErrorText(error)}`, { cause: error });
      });
    const result = answer.claims?.[claim.uid ?? ''];
    if (result === undefined) throw new Error('NodePrepareResources left out 1 claims');
    const { error = '', devices = [] } = result;
    if (error !== '')
      throw new Error(`NodePrepareResources failed for claim ${claim.namespace}/${claim.name}: ${error}`);
    return devices.map(({ poolName = '', deviceName = '', requestNames = [], cdiDeviceIds = [] }) => ({
      pool: poolName,
      device: deviceName,
      requests: requestNames,
      cdiIds: cdiDeviceIds,
    }));
  }

  async #claimsOf(pod: Pod): Promise<readonly ResourceClaim[]> {
    const claims: ResourceClaim[] = [];
    const { namespace = '', name: podName } = pod.metadata;
    for (const ref of pod.spec.resourceClaims ?? []) {
      const named = claimOf(pod, ref);
      if (named === 'unneeded') continue;
      if (named === 'missing')
        throw new Error(`prepare resource claim: pod "${namespace}/${podName}": ResourceClaim not created yet`);
      const claim = await this.#options.readClaim(namespace, named.name);
      if (claim === undefined)
        throw new Error(`failed to fetch ResourceClaim ${named.name} referenced by pod ${podName}`);
      const problem = named.isGenerated ? ownerProblem(claim, pod) : undefined;
      if (problem !== undefined) throw new Error(problem);
      if (!isReservedFor(claim, pod))
        throw new Error(
          `pod ${podName}(${pod.metadata.uid}) is not allowed to use resource claim ` +
            `${named.name}(${claim.metadata.uid})`,
        );
      claims.push(claim);
    }
    return claims;
  }

  async #unprepare(podUid: string): Promise<void> {
    for (const claim of this.#claims.values()) {
      if (!claim.podUids.includes(podUid)) continue;
      const podUids = claim.podUids.filter((uid) => uid !== podUid);
      if (podUids.length > 0) this.#claims.set(claim.uid, { ...claim, podUids });
      else {
        for (const driver of claim.drivers.keys()) await this.#takeBack(driver, claim);
        this.#claims.delete(claim.uid);
      }
      await this.#writer.save();
    }
  }

  async #takeBack(driver: string, { uid, name, namespace }: PreparedClaim): Promise<void> {
    const answer = await this.#options.plugins
      .callsOf(driver)
      .nodeUnprepareResources({ claims: [{ uid, name, namespace }] })
      .catch((error: unknown) => {
        throw new Error(`NodeUnprepareResources failed: ${runtimeErrorText(error)}`, { cause: error });
      });
    const result = answer.claims?.[uid];
    if (result === undefined) throw new Error('NodeUnprepareResources left out 1 claims');
    const { error = '' } = result;
    if (error !== '') throw new Error(`NodeUnprepareResources failed for claim ${namespace}/${name}: ${error}`);
  }
}
