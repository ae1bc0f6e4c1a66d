import { describe, expect, test } from 'vitest';
import type { Node, NodeCondition } from '../../api/gen/types/core-v1.ts';
import { isStatusChanged, statusPatch } from './status-patch.ts';

const condition = (type: string, more: Partial<NodeCondition> = {}): NodeCondition =>
  ({ type, status: 'True', lastHeartbeatTime: 't1', ...more }) as NodeCondition;

const status = (more: Partial<Node['status']> = {}): Node['status'] =>
  ({ capacity: { cpu: '2', 'a.b/c': '1' }, conditions: [condition('Ready')], images: [], ...more }) as Node['status'];

const rows: { name: string; after: Partial<Node['status']>; isChanged: boolean; patch: object }[] = [
  { name: 'nothing', after: {}, isChanged: false, patch: {} },
  {
    name: 'the heartbeat',
    after: { conditions: [condition('Ready', { lastHeartbeatTime: 't2' })] },
    isChanged: false,
    patch: {
      '$setElementOrder/conditions': [{ type: 'Ready' }],
      conditions: [condition('Ready', { lastHeartbeatTime: 't2' })],
    },
  },
  {
    name: 'one of two conditions',
    after: { conditions: [condition('Ready'), condition('Other')] },
    isChanged: true,
    patch: {
      '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'Other' }],
      conditions: [condition('Other')],
    },
  },
  {
    name: 'a resource that is gone',
    after: { capacity: { cpu: '3' } },
    isChanged: true,
    patch: { capacity: { cpu: '3', 'a.b/c': null } },
  },
  {
    name: 'the addresses',
    after: { addresses: [{ type: 'InternalIP', address: '1' }] },
    isChanged: true,
    patch: { addresses: [{ type: 'InternalIP', address: '1' }, { $patch: 'replace' }] },
  },
  {
    name: 'the images',
    after: { images: [{ names: ['a'], sizeBytes: 1 }] },
    isChanged: true,
    patch: { images: [{ names: ['a'], sizeBytes: 1 }] },
  },
];

describe('the status of a node that is written', () => {
  test.each(rows)('What is written when $name changed', ({ after, isChanged, patch }) => {
    expect(statusPatch(status(), status(after))).toEqual(patch);
    expect(isStatusChanged(status(), status(after))).toBe(isChanged);
  });
});
