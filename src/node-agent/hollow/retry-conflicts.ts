import { isConflict } from '../../client/api-error.ts';
import type { SyncResult } from '../../reconcile/controller.ts';

/** A conflict is no failure to tell of: the object was changed or replaced, and the informer is about to tell it. */
export async function retryConflicts(sync: Promise<SyncResult>): Promise<SyncResult> {
  try {
    return await sync;
  } catch (error) {
    if (isConflict(error)) return 'retry';
    throw error;
  }
}
