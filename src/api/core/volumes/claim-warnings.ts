import type { PersistentVolumeClaimSpec } from '../../gen/types/core-v1.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { quantityOf } from '../resources/quantities.ts';

/** What is accepted in a claim and is probably not meant: parts of a byte. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, path: FieldPath): string[] {
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = resources[list]?.storage;
    if (amount === undefined || quantityOf(amount).isInteger()) return [];
    return [
      `${path.child('resources', list).key('storage')}: fractional byte value ${goQuote(amount)} is invalid, ` +
        'must be an integer',
    ];
  });
}
