/** Images that were pulled and removed, and what gives credentials for them, by upstream's names. */
import { Counter, Histogram, type Registry } from 'prom-client';

export interface ImageObserver {
  pulled(seconds: number, sizeBytes: number): void;
  /** An image is gone because it was not used for too long, or because the disk is full. */
  removed(reason: 'age' | 'space'): void;
  /** A program was asked for credentials. */
  askedProvider(name: string, seconds: number, isError: boolean): void;
}

const Mi = 1 << 20;
/** Names of sizes, and what an image of that size is larger than. The largest first. */
const sizes: readonly (readonly [name: string, aboveMi: number])[] = [
  ['GT100GB', 102_400],
  ['60GB-100GB', 61_440],
  ['40GB-60GB', 40_960],
  ['30GB-40GB', 30_720],
  ['20GB-30GB', 20_480],
  ['10GB-20GB', 10_240],
  ['5GB-10GB', 5120],
  ['1GB-5GB', 1024],
  ['500MB-1GB', 500],
  ['100MB-500MB', 100],
  ['10MB-100MB', 10],
  ['0-10MB', 0],
];

/** The label of an image; runtimes that do not tell its size say 0. */
export const imageSizeName = (bytes: number): string => sizes.find(([, above]) => bytes > above * Mi)?.[0] ?? 'N/A';

export function createImageMetrics(registry: Registry): ImageObserver {
  const registers = [registry];
  const pulls = new Histogram({
    name: 'kubelet_image_pull_duration_seconds',
    help: 'How long pulls of images took, by the size of the image.',
    labelNames: ['image_size_in_bytes'],
    buckets: [1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600],
    registers,
  });
  const removed = new Counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Images that were removed, by the reason.',
    labelNames: ['reason'],
    registers,
  });
  const asked = new Histogram({
    name: 'kubelet_credential_provider_plugin_duration',
    help: 'How long programs took to give credentials, in seconds.',
    labelNames: ['plugin_name'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const errors = new Counter({
    name: 'kubelet_credential_provider_plugin_errors',
    help: 'Programs that failed to give credentials.',
    labelNames: ['plugin_name'],
    registers,
  });
  return {
    pulled: (seconds, sizeBytes) => pulls.observe({ image_size_in_bytes: imageSizeName(sizeBytes) }, seconds),
    removed: (reason) => removed.inc({ reason }),
    askedProvider(name, seconds, isError) {
      asked.observe({ plugin_name: name }, seconds);
      if (isError) errors.inc({ plugin_name: name });
    },
  };
}
