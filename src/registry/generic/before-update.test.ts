import { expect, test } from 'vitest';
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { prepareForUpdate } from './before-update.ts';
import { markPruned } from './pruned-objects.ts';
import type { ResourceRules } from './resource-rules.ts';
import type { WriteRequest } from './write.ts';

const thing = (a: number, phase = ''): KubeObject =>
  ({ metadata: { name: 't', resourceVersion: '1', generation: 3 }, spec: { a }, status: { phase } }) as KubeObject;
const same = (): KubeObject => thing(1);
const pruned = (): KubeObject => {
  const object = thing(1);
  markPruned(object);
  return object;
};

test.each([
  { name: 'is the same', object: same, subresource: '', generation: 3 },
  { name: 'has another spec', object: () => thing(2), subresource: '', generation: 4 },
  { name: 'has another status', object: () => thing(1, 'Ready'), subresource: '', generation: 3 },
  { name: 'has lost what admission made of it', object: pruned, subresource: '', generation: 4 },
  { name: 'has lost that in a write of its status', object: pruned, subresource: 'status', generation: 3 },
])('The generation of an object that $name is $generation', ({ object, subresource, generation }) => {
  const changed = object();
  const rules = { namespaced: false, resource: { generation: true }, strategyOf: () => ({}) };
  const request = { subresource, context: {}, warn: () => true };
  runToEnd(prepareForUpdate(changed, thing(1), rules as unknown as ResourceRules, request as unknown as WriteRequest));
  expect(changed.metadata!.generation).toBe(generation);
});
