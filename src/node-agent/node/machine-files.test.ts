import { describe, expect, test } from 'vitest';
import { imagesOfStatus } from './images.ts';
import { bytesOf, hugePageSizeOf, osImageOf } from './machine-files.ts';
import { nodeLabelProblems } from './node-labels.ts';

describe('the files of a machine', () => {
  test('The memory is that of its line', () => {
    expect(bytesOf('MemTotal:        8052444 kB\nMemFree: 1 kB\n', 'MemTotal')).toBe(8052444 * 1024);
    expect(bytesOf('MemFree: 1 kB\n', 'MemTotal')).toBeUndefined();
  });

  test.each([
    ['hugepages-2048kB', 2 * 1024 ** 2],
    ['hugepages-1048576kB', 1024 ** 3],
    ['other', 0],
  ])('A folder %s is of pages of %d bytes', (folder, bytes) => {
    expect(hugePageSizeOf(folder)).toBe(bytes);
  });

  test.each([
    ['NAME=x\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n', 'Debian GNU/Linux 12 (bookworm)'],
    ["PRETTY_NAME='A B'", 'A B'],
    ['NAME=x', 'Linux'],
  ])('The system of %j is %s', (text, image) => {
    expect(osImageOf(text)).toBe(image);
  });
});

test('The largest images come first, with at most five names each, digests in front', () => {
  const image = (id: string, size: number, tags: number) => ({
    id,
    size,
    repoDigests: [`${id}@sha256:1`],
    repoTags: Array.from({ length: tags }, (_, i) => `${id}:${i}`),
  });
  const images = [image('a', 1, 1), image('b', 3, 7), image('c', 2, 1)];
  expect(imagesOfStatus(images, 2)).toEqual([
    { names: ['b@sha256:1', 'b:0', 'b:1', 'b:2', 'b:3'], sizeBytes: 3 },
    { names: ['c@sha256:1', 'c:0'], sizeBytes: 2 },
  ]);
  expect(imagesOfStatus(images, -1)).toHaveLength(3);
});

test.each<{ labels: Record<string, string>; count: number }>([
  {
    labels: { disk: 'ssd', 'example.com/a': '', 'node.kubernetes.io/x': '', 'topology.kubernetes.io/zone': 'z' },
    count: 0,
  },
  { labels: { 'x.node-restriction.kubernetes.io/a': '' }, count: 1 },
  { labels: { 'a b': '' }, count: 1 },
  { labels: { a: 'x y' }, count: 1 },
])('The labels $labels of a node have $count problems', ({ labels, count }) => {
  expect(nodeLabelProblems(labels)).toHaveLength(count);
});
