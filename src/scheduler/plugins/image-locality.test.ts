import { expect, test } from 'vitest';
import type { ImageState } from '../state/node-info.ts';
import { imageScore, withTag } from './image-locality.ts';

const mebibyte = 1024 * 1024;
const images = new Map<string, ImageState>([
  ['everywhere:1', { size: 523 * mebibyte, nodes: 2 }],
  ['here:latest', { size: 500 * mebibyte, nodes: 1 }],
  ['small:1', { size: 20 * mebibyte, nodes: 2 }],
  ['huge:1', { size: 9000 * mebibyte, nodes: 2 }],
]);

test.each([
  { images: ['none:1'], score: 0 },
  { images: ['small:1'], score: 0 },
  { images: ['everywhere:1'], score: 51 },
  // on one node of two it counts half
  { images: ['here'], score: 23 },
  { images: ['huge:1'], score: 100 },
  { images: ['everywhere:1', 'none:1'], score: 25 },
])('The images $images score $score', ({ images: names, score }) => {
  const containers = names.map((image) => ({ image, resources: {} }));
  expect(imageScore({ containers }, images, 2)).toBe(score);
});

test.each([
  { image: 'a', is: 'a:latest' },
  { image: 'a:1', is: 'a:1' },
  { image: 'host:5000/a', is: 'host:5000/a:latest' },
  { image: 'host:5000/a:1', is: 'host:5000/a:1' },
  { image: 'a@sha256:0', is: 'a@sha256:0' },
])('The image $image is known to nodes as $is', ({ image, is }) => expect(withTag(image)).toBe(is));
