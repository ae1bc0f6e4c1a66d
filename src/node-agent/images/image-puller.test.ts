import { expect, test } from 'vitest';
import type { Container, Pod } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { SimulatedContainers } from '../runtime/testing/simulated-containers.ts';
import { ImagePuller } from './image-puller.ts';
import { PullQueue } from './pull-queue.ts';

function node(rate?: TokenBucket) {
  const clock = new FakeClock();
  const containers = new SimulatedContainers(() => 0);
  const events: string[] = [];
  const puller = new ImagePuller({ runtime: containers.runtime, clock, queue: new PullQueue(1), rate });
  const ending = new AbortController();
  const ensure = (image: string, imagePullPolicy?: Container['imagePullPolicy']): Promise<string> =>
    puller
      .ensure({
        pod: { metadata: { uid: 'u' } } as Pod,
        container: {
          name: 'main',
          image,
          resources: {},
          ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
        },
        sandbox: {},
        credentials: () => Promise.resolve([]),
        event: (type, reason, message) => void events.push(`${type} ${reason} ${message}`),
        signal: ending.signal,
      })
      .then(
        ({ ref }) => ref,
        (error: Error & { reason: string }) => `${error.reason}: ${error.message}`,
      );
  const pulls = () => containers.calls.filter((call) => call.startsWith('pullImage')).length;
  return { clock, containers, events, ending, ensure, pulls };
}

test.each<{ name: string; image: string; policy?: Container['imagePullPolicy']; pulls: number; result: string }>([
  { name: 'present', image: 'image:1', pulls: 0, result: 'image:1' },
  { name: 'missing', image: 'image:2', pulls: 1, result: 'image:2' },
  { name: 'present, and always pulled', image: 'image:1', policy: 'Always', pulls: 1, result: 'image:1' },
  { name: 'without a tag', image: 'image', pulls: 1, result: 'image:latest' },
  {
    name: 'missing, and never pulled',
    image: 'image:2',
    policy: 'Never',
    pulls: 0,
    result: 'ErrImageNeverPull: Container image "image:2" is not present with pull policy of Never',
  },
  {
    name: 'no name of an image',
    image: 'Image:1',
    pulls: 0,
    result:
      'InvalidImageName: Failed to apply default image tag "Image:1": ' +
      'couldn\'t parse image name "Image:1": invalid reference format',
  },
])('An image is pulled as its policy says: it is $name', async ({ image, policy, pulls, result }) => {
  const { ensure, pulls: counted } = node();
  expect(await ensure(image, policy)).toBe(result);
  expect(counted()).toBe(pulls);
});

test('A pull that failed waits 10 s for its next try, then twice as long', async () => {
  const { ensure, containers, clock, pulls, events } = node();
  const fail = (): void =>
    void containers.failures.set('pullImage image:2', new GrpcError(GrpcCode.notFound, 'it is not there'));
  const text = 'rpc error: code = NotFound desc = it is not there';
  fail();
  expect(await ensure('image:2')).toBe(`ErrImagePull: ${text}`);
  await clock.advance(9999);
  expect(await ensure('image:2')).toBe(`ImagePullBackOff: Back-off pulling image "image:2": ErrImagePull: ${text}`);
  await clock.advance(1);
  fail();
  expect(await ensure('image:2')).toBe(`ErrImagePull: ${text}`);
  await clock.advance(19_999);
  expect(await ensure('image:2')).toMatch(/^ImagePullBackOff/);
  await clock.advance(1);
  expect(await ensure('image:2')).toBe('image:2');
  expect(pulls()).toBe(3);
  expect(events.filter((event) => event.includes('BackOff'))).toHaveLength(2);
});

test('Pulls beyond the rate fail, and are tried again later', async () => {
  const clock = new FakeClock();
  const { ensure } = node(new TokenBucket({ perSecond: 1, burst: 1 }, clock));
  expect(await ensure('image:2')).toBe('image:2');
  expect(await ensure('image:3')).toBe('ErrImagePull: pull QPS exceeded');
});

test.each([
  { name: 'inspected', asked: 'imageStatus' },
  { name: 'pulled', asked: 'pullImage' },
])('A pod that is to end while its image is $name does not tell of a failure', async ({ asked }) => {
  const { ensure, containers, events, ending } = node();
  containers.before = (method) => {
    if (method !== asked) return Promise.resolve();
    ending.abort();
    return Promise.reject(new GrpcError(GrpcCode.cancelled, 'the caller gave up'));
  };
  expect(await ensure('image:2')).toMatch(/the caller gave up$/);
  expect(events.filter((event) => event.startsWith('Warning'))).toEqual([]);
});
