/** The writes of a node about its pods: status patches, and the deletion at the end. */
import type { Pod, PodStatus } from '../../../api/gen/types/core-v1.ts';
import { isConflict, isNotFound } from '../../../client/api-error.ts';
import type { Client } from '../../../client/client.ts';
import { ownConditions } from '../../pod-lifecycle/conditions.ts';

export interface PodWriter {
  /**
   * The pod as it is then; undefined when it is gone, or another one has its name.
   * @param signal ends the write
   */
  writeStatus(pod: Pod, status: PodStatus, signal: AbortSignal): Promise<Pod | undefined>;
  /** Ends the pod that has ended. False when it was gone already, or another one has its name. */
  remove(pod: Pod, signal: AbortSignal): Promise<boolean>;
}

export const createPodWriter = ({ core }: Pick<Client, 'core'>): PodWriter => ({
  writeStatus: ({ metadata }, status, signal) => {
    const order = { '$setElementOrder/conditions': ownConditions.map((type) => ({ type })) };
    const strategic = { metadata: { uid: metadata.uid }, status: { ...order, ...status } };
    const pods = core.v1.pods.namespace(metadata.namespace!);
    return unlessGone(() => pods.status.patch(metadata.name!, { strategic }, { signal }));
  },
  async remove({ metadata }, signal) {
    const preconditions = { uid: metadata.uid! };
    const pods = core.v1.pods.namespace(metadata.namespace!);
    const options = { gracePeriodSeconds: 0, preconditions, signal };
    return (await unlessGone(async () => ({ left: await pods.delete(metadata.name!, options) }))) !== undefined;
  },
});

/** A uid that does not fit is a conflict: the pod of that name is another one. */
async function unlessGone<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}
