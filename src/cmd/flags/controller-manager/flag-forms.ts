/** Flags that many controllers have, each with a name and a default of its own. */
import type { Workers } from '../../../controllers/manager/options.ts';
import { formatDuration } from '../duration.ts';
import { duration, type Flag, int32 } from '../flag.ts';

/** How many objects of a controller are worked on at a time. */
export const syncs = (name: string, { concurrentSyncs }: Workers, objects: string): Flag<number> =>
  int32(name, 'supported', {
    default: concurrentSyncs,
    help: `How many ${objects} are synced at a time. More answer faster, and take more CPU and network.`,
  });

export const period = (name: string, defaultMs: number, help: string): Flag<number> =>
  duration(name, 'supported', { default: formatDuration(defaultMs), help });
