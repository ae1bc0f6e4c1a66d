import { expect, test } from 'vitest';
import { claim, volume } from '../../testing/storage.ts';
import { createCapacityScore } from './capacity-score.ts';
import type { StaticBinding } from './find-volumes.ts';

const score = createCapacityScore([
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
]);

const binding = (asks: string, has: string | undefined, storageClassName = 'a'): StaticBinding => ({
  claim: claim('c', { spec: { resources: { requests: { storage: asks } } } }),
  volume: volume('v', { spec: { storageClassName, capacity: has === undefined ? {} : { storage: has } } }),
});

test.each([
  { title: 'no volume that is there', bindings: [], is: 0 },
  { title: 'a volume that is full', bindings: [binding('2Gi', '2Gi')], is: 100 },
  { title: 'a volume that is half full', bindings: [binding('1Gi', '2Gi')], is: 50 },
  { title: 'two volumes of a class', bindings: [binding('1Gi', '2Gi'), binding('1Gi', '8Gi')], is: 20 },
  { title: 'two volumes of two classes', bindings: [binding('1Gi', '2Gi'), binding('1Gi', '8Gi', 'b')], is: 31 },
  { title: 'a volume without a size', bindings: [binding('1Gi', undefined)], is: 100 },
])('A node with $title has the score $is', ({ bindings, is }) => {
  expect(score(bindings)).toBe(is);
});
