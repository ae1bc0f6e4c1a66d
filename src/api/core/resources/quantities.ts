import { parseQuantity, type Quantity } from '../../../machinery/quantity.ts';

const known = new Map<string, Quantity>();
const maxKnown = 4096;

/** The quantity of a text that has been decoded, hence is one. Few texts occur in a cluster, so they are remembered. */
export function quantityOf(text: string): Quantity {
  const found = known.get(text);
  if (found !== undefined) return found;
  const quantity = parseQuantity(text);
  if (known.size >= maxKnown) known.clear();
  known.set(text, quantity);
  return quantity;
}

/** Texts like `100m` and `2Gi`: nothing finer than a thousandth can be in them. */
const coarse = /^[+-]?\d+(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/;

/** Amounts of resources have no part finer than a thousandth: what is finer is rounded up. */
export function roundResourceList(list: Record<string, string> | undefined): void {
  for (const name in list) {
    const text = list[name]!;
    if (!coarse.test(text)) list[name] = quantityOf(text).roundUp(-3).toString();
  }
}
