import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { WebhookStatusError } from '../webhooks/webhook-client.ts';
import { createImagePolicyWebhook } from './image-policy-webhook.ts';
import { attributesFor } from './testing/attributes.ts';

const pod = (image = 'i', annotations: Record<string, string> = {}): Pod =>
  ({
    metadata: { name: 'p', annotations },
    spec: {
      containers: [{ name: 'c', image }],
      initContainers: [{ name: 'd', image: 'init' }],
      ephemeralContainers: [{ name: 'e', image: 'debug' }],
    },
  }) as unknown as Pod;

const review = (status: object): unknown => ({
  apiVersion: 'imagepolicy.k8s.io/v1alpha1',
  kind: 'ImageReview',
  status,
});

function subject(
  answer: () => unknown,
  more: { readonly defaultAllow?: boolean; readonly allowTtlMs?: number; readonly denyTtlMs?: number } = {},
) {
  const asked: unknown[] = [];
  const clock = new FakeClock();
  const plugin = createImagePolicyWebhook({
    configuration: { allowTtlMs: 1000, denyTtlMs: 100, defaultAllow: false, ...more },
    backend: {
      post: async (sent) => {
        asked.push(sent);
        return JSON.stringify(answer());
      },
    },
    clock,
  });
  const validate = async (object: Pod, attributes = {}): Promise<Readonly<Record<string, string>>> => {
    const given = attributesFor('pods', object, attributes);
    await plugin.validate!(given);
    return given.annotations;
  };
  return { asked, clock, validate };
}

describe('ImagePolicyWebhook', () => {
  test('The backend is asked about images, and told annotations that are meant for it', async () => {
    const { asked, validate } = subject(() => review({ allowed: true }));
    await validate(pod('i', { 'x.image-policy.k8s.io/ticket': '7', other: 'y' }));
    await validate(pod(), { subresource: 'ephemeralcontainers', operation: 'UPDATE' });
    await validate(pod(), { subresource: 'status', operation: 'UPDATE' });
    const head = {
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: { creationTimestamp: null },
    };
    expect(asked).toEqual([
      {
        ...head,
        spec: {
          containers: [{ image: 'i' }, { image: 'init' }],
          annotations: { 'x.image-policy.k8s.io/ticket': '7' },
          namespace: 'team',
        },
        status: { allowed: false },
      },
      { ...head, spec: { containers: [{ image: 'debug' }], namespace: 'team' }, status: { allowed: false } },
    ]);
  });

  test.each([
    {
      name: 'that is refused with a reason',
      answer: () => review({ allowed: false, reason: 'not signed' }),
      why: 'image policy webhook backend denied one or more images: not signed',
    },
    {
      name: 'that is refused without a reason',
      answer: () => review({ allowed: false }),
      why: 'one or more images rejected by webhook backend',
    },
    {
      name: 'under an answer of another kind',
      answer: () => ({ apiVersion: 'v1', kind: 'Pod' }),
      why: 'no kind "Pod" is registered for version "v1"',
    },
    {
      name: 'under an answer that is no object',
      answer: () => 'garbage',
      why: "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct",
    },
    {
      name: 'under an answer with a member of the wrong type',
      answer: () => review({ allowed: 'yes' }),
      why: 'json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool',
    },
    {
      name: 'that the backend has no path for',
      answer: () => {
        throw new WebhookStatusError(404);
      },
      why: 'the server could not find the requested resource',
    },
    {
      name: 'where the backend fails',
      answer: () => {
        throw new WebhookStatusError(500);
      },
      why: 'an error on the server ("unknown") has prevented the request from succeeding',
    },
    {
      name: 'where the backend redirects',
      answer: () => {
        throw new WebhookStatusError(302);
      },
      why: 'the server responded with the status code 302 but did not return more information',
    },
  ])('A pod $name is forbidden', async ({ answer, why }) => {
    await expect(subject(answer).validate(pod())).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining(`pods "p" is forbidden: ${why}`) as string,
    });
  });

  test('A failed review allows the pod where the configuration says so, and the audit log has it', async () => {
    const failing = (): unknown => {
      throw new WebhookStatusError(500);
    };
    expect(await subject(failing, { defaultAllow: true }).validate(pod())).toEqual({
      'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true',
    });
  });

  test('Annotations of the answer are in the audit log', async () => {
    const { validate } = subject(() => review({ allowed: true, auditAnnotations: { by: 'scanner' } }));
    expect(await validate(pod())).toEqual({ 'imagepolicywebhook.image-policy.k8s.io/by': 'scanner' });
  });

  test.each([
    { name: 'allowed', status: { allowed: true }, keptMs: 1000 },
    { name: 'refused', status: { allowed: false }, keptMs: 100 },
  ])('Images that are $name count for $keptMs ms without another question', async ({ status, keptMs }) => {
    const { asked, clock, validate } = subject(() => review(status));
    const look = (): Promise<unknown> => validate(pod()).catch(() => undefined);
    await look();
    await clock.advance(keptMs - 1);
    await look();
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await look();
    expect(asked).toHaveLength(2);
  });

  test('An answer that is not to be kept is asked for again', async () => {
    const { asked, validate } = subject(() => review({ allowed: true }), { allowTtlMs: 0 });
    await validate(pod());
    await validate(pod());
    expect(asked).toHaveLength(2);
  });
});
