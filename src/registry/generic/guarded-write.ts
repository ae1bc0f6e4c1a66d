import type { WriteGuard } from '../../storage/interface.ts';
import type { ObjectWrite } from '../../storage/objects.ts';
import type { BegunWrite } from './write.ts';

/**
 * Writes under the guards of what was begun; once more when only they have changed, and what was begun still stands.
 * Undefined when it does not: nothing is written then, and everything begins anew.
 *
 * @param write undefined when a guard failed, which only happens when there are any
 */
export async function writeGuarded<T>(
  { guards }: BegunWrite,
  write: (guards: readonly WriteGuard[]) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (guards === undefined) return write([]);
  for (let again = false; ; again = true) {
    const holding = await guards(again);
    if (holding === undefined) return undefined;
    const result = await write(holding);
    if (result !== undefined) return result;
  }
}

/** Members of the options of a write. */
export const guardOptions = (guards: readonly WriteGuard[]): Pick<ObjectWrite, 'guards'> =>
  guards.length === 0 ? {} : { guards };
