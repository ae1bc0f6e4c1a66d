import { expect, test } from 'vitest';
import { nodeInfo, podInfo } from '../testing/objects.ts';
import { balance } from './node-resources-balanced-allocation.ts';

const ten = { cpu: '10', memory: '10Gi', 'example.com/gpu': '10' };
const both = ['cpu', 'memory'];
const three = [...both, 'example.com/gpu'];

test.each<{ name: string; names: string[]; requests: Record<string, string>; score: number }>([
  { name: 'used alike', names: both, requests: { cpu: '5', memory: '5Gi' }, score: 100 },
  { name: 'used unlike', names: both, requests: { cpu: '8', memory: '2Gi' }, score: 70 },
  { name: 'used only in one', names: both, requests: { cpu: '10' }, score: 50 },
  { name: 'asked for beyond what there is', names: both, requests: { cpu: '20', memory: '10Gi' }, score: 100 },
  { name: 'asked for in nothing', names: both, requests: {}, score: 100 },
  {
    name: 'used unlike in three',
    names: three,
    requests: { cpu: '9', memory: '6Gi', 'example.com/gpu': '3' },
    score: 75,
  },
  { name: 'not asked for of an extended kind', names: three, requests: { cpu: '8', memory: '2Gi' }, score: 70 },
])('Resources that are $name score $score', ({ names, requests, score }) => {
  expect(balance(names, podInfo({ requests }), nodeInfo({ allocatable: ten }))).toBe(score);
});

test('What is on the node counts', () => {
  const node = nodeInfo({ allocatable: ten }, [{ name: 'there', requests: { cpu: '6', memory: '2Gi' } }]);
  expect(balance(both, podInfo({ requests: { cpu: '1', memory: '1Gi' } }), node)).toBe(80);
});
