import { describe, expect, test } from 'vitest';
import { dealHand, hashOfFlow } from './shuffle-sharding.ts';

describe('the hand of a flow', () => {
  test.each([
    { name: 'the first card of a deck by the remainder', hash: 7n, deck: 5, size: 1, hand: [2] },
    { name: 'the first cards in order for a hash of 0', hash: 0n, deck: 4, size: 3, hand: [0, 1, 2] },
    // 11 = 3 + 4 * 2: place 3 of 4, then place 2 of the three that are left.
    { name: 'no card twice', hash: 11n, deck: 4, size: 2, hand: [3, 2] },
    { name: 'the whole deck where the hand is as large', hash: 5n, deck: 3, size: 3, hand: [2, 1, 0] },
  ])('A hand has $name', ({ hash, deck, size, hand }) => {
    expect(dealHand(hash, deck, size)).toEqual(hand);
  });

  test('Hands of many flows use each queue about equally often, and have no queue twice', () => {
    const uses = new Array<number>(64).fill(0);
    for (let i = 0; i < 2000; i++) {
      const hand = dealHand(hashOfFlow('schema', `user-${i}`), 64, 6);
      expect(new Set(hand).size).toBe(6);
      for (const queue of hand) uses[queue]!++;
    }
    // 187.5 on average, with a standard deviation of 13.
    expect(Math.min(...uses)).toBeGreaterThan(120);
    expect(Math.max(...uses)).toBeLessThan(260);
  });

  test('The name of the schema and the distinguisher do not run into each other', () => {
    expect(hashOfFlow('a', 'bc')).not.toBe(hashOfFlow('ab', 'c'));
  });
});
