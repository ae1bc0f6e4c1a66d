import { expect, test } from 'vitest';
import type { Hint, Hints } from './hints.ts';
import { isAdmitted, mergeHints, type TopologyPolicy } from './merge-hints.ts';
import { maskOf, nodesOf } from './numa-mask.ts';

/** `0!`: preferred; `0+1`: both nodes; `any`, `none`. */
function hintOf(text: string): Hint {
  const preferred = text.endsWith('!');
  const nodes = text.replace('!', '');
  return { preferred, affinity: nodes === 'any' ? undefined : maskOf(nodes.split('+').map(Number)) };
}

const shown = ({ affinity, preferred }: Hint): string =>
  `${affinity === undefined ? 'any' : nodesOf(affinity).join('+')}${preferred ? '!' : ''}`;

const hintsOf = (texts: readonly string[] | undefined): Hints => new Map([['resource', texts?.map(hintOf)]]);

const numa = {
  nodes: [0, 1, 2],
  distances: new Map([
    [0, [10, 30, 20]],
    [1, [30, 10, 25]],
    [2, [20, 25, 10]],
  ]),
};

interface Row {
  name: string;
  policy?: TopologyPolicy;
  hints: (readonly string[] | undefined)[];
  prefersClosest?: boolean;
  best: string;
  admitted?: boolean;
}

test.each<Row>([
  { name: 'no resource cares', hints: [], best: '0+1+2!', admitted: true },
  { name: 'a resource does not care', hints: [undefined], best: '0+1+2!', admitted: true },
  { name: 'a resource cannot be had anywhere', hints: [[]], best: '0+1+2', admitted: false },
  { name: 'one node suits both', hints: [['0!', '1!'], ['1!']], best: '1!', admitted: true },
  {
    name: 'both nodes suit, the first is taken',
    hints: [
      ['0!', '1!'],
      ['0!', '1!', '0+1'],
    ],
    best: '0!',
    admitted: true,
  },
  { name: 'no node suits both', hints: [['0!'], ['1!']], best: '0+1+2', admitted: false },
  { name: 'nodes overlap in one', hints: [['0+1!'], ['1!', '0+1']], best: '0+1', admitted: false },
  { name: 'a smaller choice is not preferred', hints: [['0', '0+1!'], ['0+1!']], best: '0+1!', admitted: true },
  {
    name: 'closer nodes are asked for',
    hints: [['0+1!', '0+2!', '1+2!']],
    prefersClosest: true,
    best: '0+2!',
    admitted: true,
  },
  { name: 'closer nodes are not asked for', hints: [['0+1!', '0+2!', '1+2!']], best: '0+1!', admitted: true },
  {
    name: 'a single node is needed',
    policy: 'single-numa-node',
    hints: [['0+1!', '1!'], ['1!']],
    best: '1!',
    admitted: true,
  },
  { name: 'only two nodes together suit', policy: 'single-numa-node', hints: [['0+1!']], best: 'any', admitted: false },
  {
    name: 'a single node is needed, and no resource cares',
    policy: 'single-numa-node',
    hints: [undefined],
    best: 'any!',
    admitted: true,
  },
  { name: 'the best is good enough', policy: 'best-effort', hints: [['0!'], ['1!']], best: '0+1+2', admitted: true },
])('Where $name, the nodes are $best', ({ policy = 'restricted', hints, prefersClosest = false, best, admitted }) => {
  const merged = mergeHints(hints.map(hintsOf), { policy, numa, prefersClosest });
  expect(shown(merged)).toBe(best);
  expect(isAdmitted(policy, merged)).toBe(admitted);
});

test('Many nodes and resources are merged in steps that do not multiply', () => {
  const nodes = Array.from({ length: 8 }, (_, id) => id);
  const texts = Array.from({ length: 255 }, (_, index) => index + 1).map((mask) => {
    const members = nodes.filter((node) => (mask >> node) & 1);
    return `${members.join('+')}${members.length === 2 ? '!' : ''}`;
  });
  const all = Array.from({ length: 4 }, () => hintsOf(texts));
  const many = { nodes, distances: new Map() };
  expect(shown(mergeHints(all, { policy: 'restricted', numa: many, prefersClosest: false }))).toBe('0+1!');
});
