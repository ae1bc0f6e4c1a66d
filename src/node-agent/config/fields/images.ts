/** How images come to the node, and when they go. */
import { bool, duration, int, optional } from '../field.ts';

export const images = {
  registryPullQPS: int(5, {
    keepsZero: true,
    range: [0, Infinity],
    flag: 'registry-qps',
    help: 'Pulls per second in the long run. 0 means without limit.',
  }),
  registryBurst: int(10, {
    range: [0, Infinity],
    flag: 'registry-burst',
    help: 'Pulls that may begin at once after a pause.',
  }),
  serializeImagePulls: bool(true, { flag: 'serialize-image-pulls', help: 'Pull one image at a time.' }),
  maxParallelImagePulls: optional(
    int(0, { keepsZero: true, range: [1, Infinity], help: 'How many images are pulled at once.' }),
  ),
  imageMinimumGCAge: duration('2m', {
    range: [0, Infinity],
    flag: 'minimum-image-ttl-duration',
    help: 'How long an image stays that no container uses.',
  }),
  imageMaximumGCAge: duration('0s', {
    range: [0, Infinity],
    help: 'After how long an image goes that no container uses. 0 means when the disk is full.',
  }),
  imageGCHighThresholdPercent: int(85, {
    keepsZero: true,
    range: [0, 100],
    flag: 'image-gc-high-threshold',
    help: 'Percentage of the disk in use from which images are deleted.',
  }),
  imageGCLowThresholdPercent: int(80, {
    keepsZero: true,
    range: [0, 100],
    flag: 'image-gc-low-threshold',
    help: 'Percentage of the disk in use to which images are deleted.',
  }),
};
