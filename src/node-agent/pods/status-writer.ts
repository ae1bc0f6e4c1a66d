/**
 * Writes the statuses of pods to the API server: of each pod the newest one, one write at a time, and what fails again
 * later. A pod that has ended and is being deleted is deleted with the last write.
 */
import type { Pod, PodCondition, PodStatus } from '../../api/gen/types/core-v1.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/client.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isStaticPod } from './static/static-pod.ts';
import { ownConditions } from '../pod-lifecycle/conditions.ts';

export interface StatusWriterOptions {
  /** None in a node without an API server: nothing is written. */
  readonly client: Client | undefined;
  /** The mirror of a static pod, which carries its status; undefined while there is none. */
  readonly mirrorOf?: (pod: Pod) => Pod | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Entry {
  pod: Pod;
  status: PodStatus;
  /** What the API server has, as far as it is known. */
  written: PodStatus | undefined;
  hasEnded: boolean;
  isDeleted: boolean;
  /** The last write found no such object: the next status is tried again. */
  isLost: boolean;
  writing: Promise<void> | undefined;
}

const retryMs = 1000;
const maxRetryMs = 10_000;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** By uid. */
  readonly #entries = new Map<string, Entry>();
  readonly #abort = new AbortController();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** The status that was set last; undefined before the first one. */
  statusOf(uid: string): PodStatus | undefined {
    return this.#entries.get(uid)?.status;
  }

  /** @param hasEnded nothing of the pod runs any more, and nothing of it is left on the node */
  set(pod: Pod, status: PodStatus, hasEnded: boolean): void {
    const uid = pod.metadata.uid ?? '';
    const entry = this.#entries.get(uid);
    if (entry === undefined) {
      const created = {
        pod,
        status,
        hasEnded,
        written: undefined,
        isDeleted: false,
        isLost: false,
        writing: undefined,
      };
      this.#entries.set(uid, created);
      this.#begin(uid, created);
      return;
    }
    entry.pod = pod;
    entry.status = status;
    entry.hasEnded ||= hasEnded;
    this.#begin(uid, entry);
  }

  /** A static pod has another mirror, without a status. */
  rewrite(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    entry.written = undefined;
    this.#begin(uid, entry);
  }

  /** The pod is gone from the API server. */
  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.isDeleted = true;
    this.#entries.delete(uid);
  }

  /** Resolves when the writes that are under way have ended. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all([...this.#entries.values()].map(({ writing }) => writing ?? Promise.resolve()));
  }

  #begin(uid: string, entry: Entry): void {
    if (this.#options.client === undefined || entry.writing !== undefined || this.#abort.signal.aborted) return;
    if (!isDue(entry) || this.#targetOf(entry) === undefined) return;
    entry.writing = this.#write(uid, entry);
  }

  async #write(uid: string, entry: Entry): Promise<void> {
    try {
      await this.#writeWhatIsDue(uid, entry);
    } finally {
      entry.writing = undefined;
    }
    // A status that was set after the last look is not left behind.
    if (!entry.isLost) this.#begin(uid, entry);
  }

  async #writeWhatIsDue(uid: string, entry: Entry): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#abort;
    for (let failures = 0; !signal.aborted && !entry.isDeleted && isDue(entry); ) {
      try {
        const target = this.#targetOf(entry);
        if (target === undefined) return;
        entry.isLost = false;
        await this.#writeOnce(entry, target, signal);
        failures = 0;
      } catch (error) {
        // Another pod has the name now; a mirror is made anew.
        if (isConflict(error) || isNotFound(error)) {
          entry.isDeleted = !isStaticPod(entry.pod);
          entry.isLost = true;
          return;
        }
        failures++;
        if (!signal.aborted) log.warn({ err: error, uid }, 'the status of a pod could not be written');
        await sleep(clock, Math.min(maxRetryMs, retryMs * 2 ** failures), signal);
      }
    }
  }

  #targetOf({ pod }: Entry): Pod | undefined {
    return isStaticPod(pod) ? this.#options.mirrorOf?.(pod) : pod;
  }

  async #writeOnce(entry: Entry, target: Pod, signal: AbortSignal): Promise<void> {
    const { status } = entry;
    const { name = '', namespace = '', uid = '' } = target.metadata;
    const pods = this.#options.client!.core.v1.pods.namespace(namespace);
    if (!isEqual(entry.written, status)) {
      await pods.status.patch(
        name,
        { strategic: statusPatch(uid, status, entry.written ?? target.status) },
        { signal },
      );
      entry.written = status;
      return;
    }
    await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal }).catch(undefinedWhenGone);
    entry.isDeleted = true;
  }
}

const isDue = (entry: Entry): boolean =>
  !entry.isDeleted && (!isEqual(entry.written, entry.status) || mustDelete(entry));

const mustDelete = ({ pod, hasEnded }: Entry): boolean =>
  hasEnded && pod.metadata.deletionTimestamp !== undefined && !isStaticPod(pod);

/** What makes the one status of the other. Conditions of others are left alone. */
export function statusPatch(uid: string, status: PodStatus, before: PodStatus): object {
  const gone = Object.fromEntries(
    (['reason', 'message', 'podIP', 'resize'] as const)
      .filter((field) => status[field] === undefined && before[field] !== undefined)
      .map((field) => [field, null]),
  );
  const conditions = (status.conditions ?? []).filter(isOwn);
  return {
    metadata: { uid },
    status: {
      ...status,
      ...gone,
      ...conditionsPatch(conditions),
      ...replaced('hostIPs', status.hostIPs, before.hostIPs),
      ...replaced('podIPs', status.podIPs, before.podIPs),
    },
  };
}

/** A member that a condition does not have any more would stay. */
const conditionsPatch = (conditions: readonly PodCondition[]): object =>
  conditions.length === 0
    ? { conditions: undefined }
    : {
        '$setElementOrder/conditions': conditions.map(({ type }) => ({ type })),
        conditions: conditions.map((condition) => ({
          ...condition,
          reason: condition.reason ?? null,
          message: condition.message ?? null,
        })),
      };

const isOwn = ({ type = '', reason }: PodCondition): boolean =>
  ownConditions.includes(type) || (type === 'DisruptionTarget' && reason === 'TerminationByKubelet');

/** Lists that a patch would merge: an address that has changed would stay beside the new one. */
function replaced(field: string, list: readonly object[] | undefined, before: readonly object[] | undefined): object {
  if (list === undefined && before === undefined) return {};
  if (before === undefined || isEqual(list, before)) return { [field]: list ?? [] };
  return { [field]: [{ $patch: 'replace' }, ...(list ?? [])] };
}
