/**
 * Asks a backend whether the images of a pod may be used.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook |
 *   ImagePolicyWebhook}
 */
import { createHash } from 'node:crypto';
import { codecs } from '../../api/codecs.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { ImageReview, ImageReviewSpec, ImageReviewStatus } from '../../api/gen/types/imagepolicy-v1alpha1.ts';
import { BoundedCache, textBytes } from '../../base/bounded-cache.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import type { JsonBody } from '../../machinery/json/body.ts';
import { readYaml } from '../../machinery/json/yaml.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { answerStatusText } from '../webhooks/answer-status-text.ts';
import { WebhookStatusError } from '../webhooks/webhook-client.ts';
import { refused } from './attributes.ts';
import type { ImagePolicyConfiguration } from './configuration/plugin-configuration.ts';
import type { ImageReviews } from './image-reviews.ts';

const apiVersion = 'imagepolicy.k8s.io/v1alpha1';
/** Annotations of pods with this in their name are meant for the backend. */
const annotationPart = '.image-policy.k8s.io/';
const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/';
const maxKeptBytes = 2 * 1024 * 1024;

export interface ImagePolicyOptions {
  readonly configuration: Pick<ImagePolicyConfiguration, 'allowTtlMs' | 'denyTtlMs' | 'defaultAllow'>;
  readonly backend: Pick<ImageReviews, 'post'>;
  readonly clock?: Clock;
}

interface Kept {
  readonly status: ImageReviewStatus;
  readonly untilMs: number;
}

export function createImagePolicyWebhook({
  configuration: { allowTtlMs, denyTtlMs, defaultAllow },
  backend,
  clock = systemClock,
}: ImagePolicyOptions): AdmissionPlugin {
  const kept = new BoundedCache<Kept>({
    maxBytes: maxKeptBytes,
    maxKeyLength: 64,
    bytesOf: ({ status }) => textBytes(JSON.stringify(status)),
  });
  const statusOf = async (spec: ImageReviewSpec): Promise<ImageReviewStatus> => {
    const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64');
    const known = kept.get(key);
    if (known !== undefined && clock.now() < known.untilMs) return known.status;
    const status = await ask(backend, spec);
    const ttlMs = status.allowed === true ? allowTtlMs : denyTtlMs;
    if (ttlMs > 0) kept.set(key, { status, untilMs: clock.now() + ttlMs });
    return status;
  };
  return {
    name: 'ImagePolicyWebhook',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    async validate(attributes) {
      const spec = specOf(attributes);
      if (spec === undefined) return;
      let status: ImageReviewStatus;
      try {
        status = await statusOf(spec);
      } catch (error) {
        if (!defaultAllow) throw refused(attributes, (error as Error).message);
        attributes.annotate(`${auditPrefix}failed-open`, 'true');
        return;
      }
      for (const [key, value] of Object.entries(status.auditAnnotations ?? {}))
        attributes.annotate(`${auditPrefix}${key}`, value);
      if (status.allowed === true) return;
      const { reason = '' } = status;
      throw refused(
        attributes,
        reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${reason}`,
      );
    },
  };
}

/** Undefined for what has no images to ask about. */
function specOf({ resource, subresource, object, namespace }: AdmissionAttributes): ImageReviewSpec | undefined {
  if (resource.group !== '' || resource.resource !== 'pods') return undefined;
  if (subresource !== '' && subresource !== 'ephemeralcontainers') return undefined;
  const { spec, metadata } = object as Pod;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const asked = subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(annotationPart));
  return {
    containers: asked.map(({ image = '' }) => (image === '' ? {} : { image })),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations.sort()) }),
    namespace,
  };
}

async function ask(backend: Pick<ImageReviews, 'post'>, spec: ImageReviewSpec): Promise<ImageReviewStatus> {
  let answer: string;
  try {
    answer = await backend.post({
      kind: 'ImageReview',
      apiVersion,
      metadata: { creationTimestamp: null },
      spec,
      status: { allowed: false },
    });
  } catch (error) {
    throw error instanceof WebhookStatusError ? new Error(answerStatusText(error.status), { cause: error }) : error;
  }
  const body = readYaml(answer);
  const meta = typeMetaOf(body);
  if (meta.apiVersion !== apiVersion || meta.kind !== 'ImageReview')
    throw new Error(`no kind ${goQuote(meta.kind)} is registered for version ${goQuote(meta.apiVersion)}`);
  const { value } = codecs.of('imagepolicy/v1alpha1.ImageReview').fromJson(body);
  return (value as unknown as ImageReview).status;
}

function typeMetaOf(body: JsonBody): { readonly apiVersion: string; readonly kind: string } {
  try {
    return body.typeMeta();
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}
