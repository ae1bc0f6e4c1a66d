/**
 * Makes the image of a container present, as its pull policy says.
 *
 * What fails is not tried again before its back-off is over: 10 s, twice as long after each further failure, 300 s at
 * most, for each pod and image.
 * @see {@link https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy | Image pull policy}
 */
import type { Container, EphemeralContainer, Pod } from '../../api/gen/types/core-v1.ts';
import { imageTag } from '../../api/core/pods/image-name.ts';
import { defaultPullPolicy } from '../../api/core/pods/pull-policy.ts';
import type { Clock } from '../../base/clock.ts';
import type { TokenBucket } from '../../base/token-bucket.ts';
import type { EventType } from '../../client/events/recorder.ts';
import { formatDuration } from '../../machinery/duration.ts';
import type { ImageObserver } from '../metrics/image-metrics.ts';
import { type ContainerRuntime, pullErrorText, runtimeErrorText } from '../runtime/container-runtime.ts';
import type { AuthConfig, Image, PodSandboxConfig } from '../runtime/gen/cri.ts';
import { ImageBackOff } from './image-back-off.ts';
import { ImageError } from './image-error.ts';
import type { PullQueue } from './pull-queue.ts';

export interface ImagePullerOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly queue: PullQueue;
  /** How often images may be pulled; no limit when absent. */
  readonly rate?: TokenBucket | undefined;
  readonly observer?: Pick<ImageObserver, 'pulled'> | undefined;
}

export interface PullRequest {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly sandbox: PodSandboxConfig;
  /** Asked when the image is to be pulled. Tried one after the other. */
  readonly credentials: () => Promise<readonly AuthConfig[]>;
  readonly event: (type: EventType, reason: string, message: string) => void;
  readonly signal: AbortSignal;
}

export interface PresentImage {
  /** By which containers are made. */
  readonly ref: string;
  readonly uid: bigint | undefined;
  readonly username: string | undefined;
}

export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #backOff: ImageBackOff;

  constructor(options: ImagePullerOptions) {
    this.#options = options;
    this.#backOff = new ImageBackOff(options.clock);
  }

  /** Throws an `ImageError`, which says why the container waits. */
  async ensure(request: PullRequest): Promise<PresentImage> {
    const { pod, container, event } = request;
    const written = container.image ?? '';
    const image = this.#nameOf(written, event);
    const policy = container.imagePullPolicy ?? defaultPullPolicy(written);
    const present = await this.#find(image, request);
    if (present !== undefined && policy !== 'Always') {
      event('Normal', 'Pulled', `Container image "${written}" already present on machine`);
      return imageOf(present, image);
    }
    if (policy === 'Never') {
      const message = `Container image "${written}" is not present with pull policy of Never`;
      event('Warning', 'ErrImageNeverPull', message);
      throw new ImageError('ErrImageNeverPull', message);
    }
    const key = `${pod.metadata.uid}_${image}`;
    const last = this.#backOff.reasonToWait(key);
    if (last !== undefined) {
      event('Normal', 'BackOff', `Back-off pulling image "${written}"`);
      throw new ImageError('ImagePullBackOff', `Back-off pulling image "${written}": ${last}`);
    }
    return this.#pull(image, key, request);
  }

  /** Of a pod that is gone nothing is remembered. */
  forget(uid: string): void {
    this.#backOff.forget(`${uid}_`);
  }

  #nameOf(written: string, event: PullRequest['event']): string {
    try {
      return withTag(written);
    } catch (error) {
      event('Warning', 'InspectFailed', (error as Error).message);
      throw error;
    }
  }

  async #find(image: string, { signal, event, container }: PullRequest): Promise<Image | undefined> {
    try {
      return (await this.#options.runtime.imageStatus({ image: { image } }, { signal })).image;
    } catch (error) {
      // The pod is to end meanwhile: nothing is wrong with the image.
      if (signal.aborted) throw error;
      const message = `Failed to inspect image "${container.image}": ${runtimeErrorText(error)}`;
      event('Warning', 'InspectFailed', message);
      throw new ImageError('ImageInspectError', message);
    }
  }

  async #pull(image: string, key: string, request: PullRequest): Promise<PresentImage> {
    const { container, event, signal } = request;
    const { clock, queue, rate, observer } = this.#options;
    const written = container.image ?? '';
    event('Normal', 'Pulling', `Pulling image "${written}"`);
    const askedAt = clock.now();
    try {
      if (rate?.take() === false) throw new Error('pull QPS exceeded');
      const { tookMs, pulled } = await queue.run(async () => {
        const begunAt = clock.now();
        const ref = await this.#pullWithCredentials(image, request);
        return { tookMs: clock.now() - begunAt, pulled: await this.#pulledImage(ref, image, signal) };
      }, signal);
      const took = durationText(tookMs);
      const waited = durationText(clock.now() - askedAt);
      const size = `Image size: ${pulled.size ?? 0} bytes.`;
      event(
        'Normal',
        'Pulled',
        `Successfully pulled image "${written}" in ${took} (${waited} including waiting). ${size}`,
      );
      this.#backOff.succeeded(key);
      observer?.pulled(tookMs / 1000, Number(pulled.size ?? 0));
      return imageOf(pulled, image);
    } catch (error) {
      if (signal.aborted) throw error;
      const text = pullErrorText(error);
      event('Warning', 'Failed', `Failed to pull image "${written}": ${text}`);
      const { reason, message } = registryFailure(written, text);
      this.#backOff.failed(key, `${reason}: ${message}`);
      throw new ImageError(reason, message);
    }
  }

  async #pullWithCredentials(image: string, request: PullRequest): Promise<string> {
    const { runtime } = this.#options;
    const { sandbox, signal } = request;
    const credentials = await request.credentials();
    let failure: unknown;
    for (const auth of credentials.length === 0 ? [undefined] : credentials) {
      try {
        const pulled = await runtime.pullImage({ image: { image }, auth, sandboxConfig: sandbox }, { signal });
        return pulled.imageRef ?? image;
      } catch (error) {
        failure = error;
        if (signal.aborted) break;
      }
    }
    throw failure;
  }

  async #pulledImage(ref: string, image: string, signal: AbortSignal): Promise<Image> {
    const { runtime } = this.#options;
    const byName = await runtime.imageStatus({ image: { image } }, { signal });
    return byName.image ?? { id: ref };
  }
}

/** As upstream: the reference that the runtime gave, or the name where it gave none. */
const imageOf = ({ id = '', uid, username }: Image, image: string): PresentImage => ({
  ref: id === '' ? image : id,
  uid: uid === undefined ? undefined : BigInt(uid.value ?? 0),
  username,
});

/** A name without tag and digest means `latest`. Throws for what is no name. */
function withTag(image: string): string {
  const tag = imageTag(image);
  if (tag === 'latest' && !image.endsWith(':latest')) return `${image}:latest`;
  if (tag === undefined && !image.includes('@sha') && !/^[a-f0-9]{64}$/.test(image)) throw invalidImageName(image);
  return image;
}

const durationText = (ms: number): string => formatDuration(BigInt(Math.round(ms)) * 1_000_000n);

/** Some runtimes say by their first word which failure it is. */
function registryFailure(image: string, text: string): { readonly reason: string; readonly message: string } {
  for (const [reason, why] of [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const)
    if (text.startsWith(reason))
      return { reason, message: `image pull failed for ${image} because ${why}${text.slice(reason.length)}` };
  return { reason: 'ErrImagePull', message: text };
}

const invalidImageName = (image: string): ImageError =>
  new ImageError(
    'InvalidImageName',
    `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`,
  );
