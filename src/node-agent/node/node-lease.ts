/**
 * The heartbeat of one node: its Lease in `kube-node-lease`, renewed every 10 s for 40 s.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats | Node heartbeats}
 */
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Client } from '../../client/client.ts';
import { formatMicroTime } from '../../machinery/time.ts';

const defaultDurationSeconds = 40;

/** Four renewals in the time for which one counts. */
export const renewEveryMs = (durationSeconds = defaultDurationSeconds): number => durationSeconds * 250;

const namespace = 'kube-node-lease';
const tries = 5;

export interface LeaseHolder {
  readonly name: string;
  /** Of the node's object; undefined where it is gone. */
  readonly uid: string | undefined;
}

export class NodeLease {
  readonly #leases;
  readonly #wallTime: () => number;
  readonly #durationSeconds: number;
  #held: Lease | undefined;

  constructor(
    { coordination }: Pick<Client, 'coordination'>,
    wallTime: () => number,
    durationSeconds = defaultDurationSeconds,
  ) {
    this.#durationSeconds = durationSeconds;
    this.#leases = coordination.v1.leases.namespace(namespace);
    this.#wallTime = wallTime;
  }

  /** Writes over the version that was written last; reads it when another one did, and makes it when it is gone. */
  async renew(holder: LeaseHolder, signal: AbortSignal, triesLeft = tries): Promise<void> {
    this.#held ??= await this.#find(holder.name, signal);
    if (this.#held === undefined) return this.#create(holder, signal, triesLeft);
    const { spec } = this.#held;
    const metadata = { ...ownedBy(holder), ...this.#held.metadata };
    try {
      const lease = { metadata, spec: { ...spec, ...this.#renewal(holder) } };
      this.#keep(await this.#leases.update(lease, { signal }));
    } catch (error) {
      this.#held = undefined;
      if ((!isConflict(error) && !isNotFound(error)) || triesLeft === 1) throw error;
      await this.renew(holder, signal, triesLeft - 1);
    }
  }

  async #create(holder: LeaseHolder, signal: AbortSignal, triesLeft: number): Promise<void> {
    const metadata = { name: holder.name, namespace, ...ownedBy(holder) };
    try {
      this.#keep(await this.#leases.create({ metadata, spec: this.#renewal(holder) }, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error) || triesLeft === 1) throw error;
      await this.renew(holder, signal, triesLeft - 1);
    }
  }

  async #find(name: string, signal: AbortSignal): Promise<Lease | undefined> {
    return await this.#leases.get(name, { signal }).catch(undefinedWhenGone);
  }

  #keep({ metadata, spec }: Lease): void {
    const { managedFields: _, ...kept } = metadata;
    this.#held = { metadata: kept, spec };
  }

  #renewal({ name }: LeaseHolder): Lease['spec'] {
    const now = this.#wallTime();
    const renewTime = formatMicroTime(Math.floor(now / 1000), (now % 1000) * 1e6);
    return { holderIdentity: name, leaseDurationSeconds: this.#durationSeconds, renewTime };
  }
}

/** The first heartbeat may come before the node is known: the next one says whose it is. */
const ownedBy = ({ name, uid }: LeaseHolder): Pick<Lease['metadata'], 'ownerReferences'> =>
  uid === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] };
