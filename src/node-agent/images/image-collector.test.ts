import { expect, test } from 'vitest';
import type { Image } from '../runtime/gen/cri.ts';
import { ImageCollector, type ImageLimits } from './image-collector.ts';

const defaults: ImageLimits = { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 };
const hour = 3_600_000;

interface Disk {
  /** Percent of 1000 bytes. */
  usedPercent: number;
}

function collector(images: Image[], limits: Partial<ImageLimits> = {}, disk: Disk = { usedPercent: 50 }) {
  const removed: string[] = [];
  const events: string[] = [];
  let now = 0;
  const collect = new ImageCollector({
    runtime: {
      listImages: () => Promise.resolve({ images: images.filter(({ id = '' }) => !removed.includes(id)) }),
      listContainers: () => Promise.resolve({ containers: [{ imageRef: 'used' }] }),
      removeImage: ({ image }) => {
        removed.push(image?.image ?? '');
        return Promise.resolve({});
      },
    },
    limits: { ...defaults, ...limits },
    diskUsage: () => Promise.resolve({ capacityBytes: 1000, availableBytes: 1000 - disk.usedPercent * 10 }),
    nowMs: () => now,
    sandboxImages: () => ['pause:1', 'pause:2'],
    event: (reason, message) => events.push(`${reason}: ${message}`),
  });
  return { collect, removed, events, pass: (ms: number) => void (now += ms) };
}

const image = (id: string, size = 30, more: Partial<Image> = {}): Image => ({ id, size, ...more });

test('Nothing is removed while the disk has space', async () => {
  const { collect, removed, pass } = collector([image('a')]);
  await collect.collect();
  pass(hour);
  await collect.collect();
  expect(removed).toEqual([]);
});

test('A full disk is freed down to its low mark, of images that nothing uses and that are old enough', async () => {
  const images = [
    image('used', 500),
    image('pinned', 500, { pinned: true }),
    image('sandbox', 500, { repoTags: ['pause:1'] }),
    image('of the operator', 500, { repoTags: ['pause:2'] }),
    image('a', 60),
    image('b', 60),
    image('c', 60),
  ];
  const disk = { usedPercent: 50 };
  const { collect, removed, pass } = collector(images, {}, disk);
  await collect.collect();
  pass(hour);
  disk.usedPercent = 90;
  await collect.collect();
  expect(removed).toEqual(['a', 'b']);
});

test('Events say that images free less than they must, and from the second time on that this fails', async () => {
  const { collect, events, pass } = collector([image('a', 10)], { minAgeMs: 0 }, { usedPercent: 90 });
  const short = 'Failed to garbage collect required amount of images. Attempted to free 100 bytes, but only found';
  await expect(collect.collect()).rejects.toThrow(short);
  pass(hour);
  await expect(collect.collect()).rejects.toThrow(short);
  expect(events).toEqual([
    `FreeDiskSpaceFailed: ${short} 10 bytes eligible to free.`,
    `FreeDiskSpaceFailed: ${short} 0 bytes eligible to free.`,
    `ImageGCFailed: ${short} 0 bytes eligible to free.`,
  ]);
});

test('Images that were not used for the longest time that they may are removed', async () => {
  const { collect, removed, pass } = collector([image('used'), image('a')], { maxAgeMs: hour });
  await collect.collect();
  pass(hour);
  await collect.collect();
  expect(removed).toEqual([]);
  pass(1);
  await collect.collect();
  expect(removed).toEqual(['a']);
});
