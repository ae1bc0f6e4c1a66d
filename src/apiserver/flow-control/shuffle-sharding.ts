/**
 * Shuffle sharding: each flow has a few queues of a level, chosen by a hash, so that a flow with many requests fills
 * some queues of others and leaves them the rest.
 *
 * @see {@link
 *   https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/1040-priority-and-fairness |
 *   KEP-1040: Priority and Fairness}
 */
import { createHash } from 'node:crypto';

/** The 64 bits that decide about the queues of a flow. */
export function hashOfFlow(flowSchema: string, distinguisher: string): bigint {
  return createHash('sha256').update(`${flowSchema}\0${distinguisher}`).digest().readBigUInt64LE();
}

/**
 * Different numbers below `deck`, as many as `handSize`; all hands are about equally likely.
 *
 * Each digit of the hash, in the falling base of how many cards are left, is the place of a card among those that are
 * left. A card's number is its place moved up by the earlier cards that are not above it.
 */
export function dealHand(hash: bigint, deck: number, handSize: number): readonly number[] {
  const places: number[] = [];
  let rest = hash;
  for (let left = deck; places.length < handSize; left--) {
    places.push(Number(rest % BigInt(left)));
    rest /= BigInt(left);
  }
  return places.map((place, i) => {
    let card = place;
    for (let j = i - 1; j >= 0; j--) if (card >= places[j]!) card++;
    return card;
  });
}
