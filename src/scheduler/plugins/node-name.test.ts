import { expect, test } from 'vitest';
import { CycleState } from '../framework/cycle-state.ts';
import { nodeInfo, podInfo } from '../testing/objects.ts';
import { createNodeName } from './node-name.ts';

test.each([
  { name: 'without a name fits', nodeName: undefined, reasons: undefined },
  { name: 'that names the node fits', nodeName: 'n', reasons: undefined },
  { name: 'that names another does not', nodeName: 'm', reasons: ["node(s) didn't match the requested node name"] },
])('A pod $name', ({ nodeName, reasons }) => {
  const pod = podInfo(nodeName === undefined ? {} : { node: nodeName });
  expect(createNodeName().filter(new CycleState(), pod, nodeInfo())?.reasons).toEqual(reasons);
});
