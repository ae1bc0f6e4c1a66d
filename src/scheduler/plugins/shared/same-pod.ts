import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { QueueingHint } from '../../framework/cluster-event.ts';

/** The change is one of the pod itself. */
export const isSamePod: QueueingHint = (pod, _, after) => pod.metadata.uid === (after as Pod | undefined)?.metadata.uid;
