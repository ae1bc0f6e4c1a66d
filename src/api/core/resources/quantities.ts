import { remembered } from '../../../base/bounded-cache.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';

/** The quantity of a text that has been decoded, hence is one. Few texts occur in a cluster, so they are remembered. */
export const quantityOf = remembered(parseQuantity, {
  maxBytes: 2 * 1024 * 1024,
  maxKeyLength: 64,
  bytesOf: () => quantityBytes,
});
/** With the number and the canonical text. */
const quantityBytes = 300;

/** Texts like `100m` and `2Gi`: nothing finer than a thousandth can be in them. */
const coarse = /^[+-]?\d+(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;

/** Amounts of resources have no part finer than a thousandth: what is finer is rounded up. */
export function roundResourceList(list: Record<string, string> | undefined): void {
  for (const name in list) {
    const text = list[name]!;
    if (!coarse.test(text)) list[name] = quantityOf(text).roundUp(-3).toString();
  }
}
