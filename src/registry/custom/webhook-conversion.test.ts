import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { settleAll, settled } from '../generic/pending.ts';
import { WebhookConverter } from './webhook-conversion.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly KubeObject[];
  };
}

const widget = (name: string): KubeObject => ({
  apiVersion: 'e.com/v1',
  kind: 'Widget',
  metadata: { name, uid: `uid-${name}`, labels: { a: 'b' } },
});

function converter(
  answer: (review: Review) => object,
  reviewVersions = ['v1'],
): { readonly converter: WebhookConverter; readonly reviews: Review[] } {
  const reviews: Review[] = [];
  const post = (review: object): Promise<unknown> => {
    reviews.push(review as Review);
    return Promise.resolve(answer(review as Review));
  };
  return { converter: new WebhookConverter({ reviewVersions, post }), reviews };
}

const converted = (
  { apiVersion, request: { uid, desiredAPIVersion, objects } }: Review,
  change: (object: KubeObject) => object = (object) => object,
): object => ({
  kind: 'ConversionReview',
  apiVersion,
  response: {
    uid,
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => change({ ...object, apiVersion: desiredAPIVersion })),
  },
});

describe('conversion by a webhook', () => {
  test('What is asked for together goes in one review', async () => {
    const { converter: subject, reviews } = converter(converted);
    const objects = [widget('a'), widget('b'), widget('a')];
    await settleAll(objects, (object) => subject.convert(object, 'e.com/v2'));
    expect(
      reviews.map(({ request }) => [request.desiredAPIVersion, request.objects.map(({ metadata }) => metadata!.name)]),
    ).toEqual([['e.com/v2', ['a', 'b']]]);
    expect(subject.convert(objects[1]!, 'e.com/v2')).toMatchObject({ apiVersion: 'e.com/v2', metadata: { name: 'b' } });
  });

  test('An object of the version is not asked about', () => {
    const object = widget('a');
    expect(converter(converted).converter.convert(object, 'e.com/v1')).toBe(object);
  });

  test('Conversion by a webhook may change labels and annotations, and no other metadata', async () => {
    const { converter: subject } = converter((review) =>
      converted(review, (object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { new: 'one' }, generation: 9 },
      })),
    );
    expect((await settled(() => subject.convert(widget('a'), 'e.com/v2'))).metadata).toEqual({
      name: 'a',
      uid: 'uid-a',
      labels: { new: 'one' },
    });
  });

  test('The first review version that this server speaks is used', async () => {
    const { converter: subject, reviews } = converter(converted, ['v9', 'v1beta1']);
    await settled(() => subject.convert(widget('a'), 'e.com/v2'));
    expect(reviews[0]!.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
  });

  const answering =
    (result: object) =>
    ({ apiVersion, request: { uid } }: Review): object => ({
      kind: 'ConversionReview',
      apiVersion,
      response: { uid, result },
    });
  const withMetadata =
    (metadata: unknown) =>
    (review: Review): object =>
      converted(review, (object) => ({ ...object, metadata: metadata as KubeObject['metadata'] }));
  const identity = { name: 'a', uid: 'uid-a' };

  test.each<{ name: string; answer: (review: Review) => object; message: string }>([
    {
      name: 'says no',
      answer: answering({ status: 'Failed', message: 'not today' }),
      message: 'failed: not today',
    },
    {
      name: 'says no without a message',
      answer: answering({ status: 'Failed', reason: 'BadRequest' }),
      message: "failed: response.result.status was 'Failed', not 'Success'",
    },
    {
      name: 'answers something else',
      answer: () => ({ kind: 'Status', apiVersion: 'v1' }),
      message:
        'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Status',
    },
    {
      name: 'answers with a review without response',
      answer: ({ apiVersion }) => ({ kind: 'ConversionReview', apiVersion }),
      message: 'failed: no response provided',
    },
    {
      name: 'answers with null',
      answer: () => null as unknown as object,
      message: 'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
    },
    {
      name: 'answers another question',
      answer: (review) => converted({ ...review, request: { ...review.request, uid: 'other' } }),
      message: expect.stringContaining('got "other"') as string,
    },
    {
      name: 'cannot be reached',
      answer: () => {
        throw new Error('connection refused');
      },
      message: 'failed: connection refused',
    },
    {
      name: 'loses an object',
      answer: (review) => converted({ ...review, request: { ...review.request, objects: [] } }),
      message: 'returned 0 objects, expected 1',
    },
    {
      name: 'returns another version',
      answer: (review) => converted(review, (object) => ({ ...object, apiVersion: 'e.com/v3' })),
      message: 'returned invalid object at index 0: invalid groupVersion (expected e.com/v2, received e.com/v3)',
    },
    {
      name: 'returns another kind',
      answer: (review) => converted(review, (object) => ({ ...object, kind: 'Gadget' })),
      message: 'returned invalid object at index 0: invalid kind (expected Widget, received Gadget)',
    },
    {
      name: 'renames an object',
      answer: withMetadata({ ...identity, name: 'z' }),
      message: 'returned invalid object: must have the same name: a != z',
    },
    {
      name: 'moves an object to a namespace',
      answer: withMetadata({ ...identity, namespace: 'z' }),
      message: 'returned invalid object: must have the same namespace:  != z',
    },
    {
      name: 'returns another object',
      answer: withMetadata({ name: 'a', uid: 'uid-z' }),
      message: 'returned invalid object: must have the same UID: uid-a != uid-z',
    },
    {
      name: 'returns labels that are no map',
      answer: withMetadata({ ...identity, labels: ['a'] }),
      message: 'returned invalid metadata: invalid metadata.labels of type []interface {} in converted object',
    },
    {
      name: 'returns a label that is no text',
      answer: withMetadata({ ...identity, labels: { a: 1 } }),
      message: 'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    },
    {
      name: 'returns a label that no object may have',
      answer: withMetadata({ ...identity, labels: { a: 'b', c: '-' } }),
      message: expect.stringContaining(
        'conversion webhook for e.com/v1, Kind=Widget returned invalid metadata: metadata.labels: Invalid value: "-"',
      ) as string,
    },
    {
      name: 'returns an annotation that no object may have',
      answer: withMetadata({ ...identity, annotations: { '-': '' } }),
      message: expect.stringContaining('returned invalid metadata: metadata.annotation: Invalid value: "-"') as string,
    },
  ])('A webhook that $name', async ({ answer, message }) => {
    const { converter: subject, reviews } = converter(answer);
    const ask = (): Promise<KubeObject> => settled(() => subject.convert(widget('a'), 'e.com/v2'));
    await expect(ask()).rejects.toMatchObject({
      code: 500,
      message: typeof message === 'string' ? `conversion webhook for e.com/v1, Kind=Widget ${message}` : message,
    });
    // The next attempt asks the webhook again.
    await expect(ask()).rejects.toThrow('conversion webhook for e.com/v1');
    expect(reviews).toHaveLength(2);
  });

  test('An object that comes back changed is refused alone', async () => {
    const { converter: subject } = converter((review) =>
      converted(review, (object) => (object.metadata!.name === 'a' ? { ...object, kind: 'Gadget' } : object)),
    );
    const [refused, fine] = await Promise.allSettled(
      ['a', 'b'].map((name) => settled(() => subject.convert(widget(name), 'e.com/v2'))),
    );
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 500 } });
    expect(fine).toMatchObject({ status: 'fulfilled', value: { apiVersion: 'e.com/v2', metadata: { name: 'b' } } });
  });

  test('Labels that were invalid before a conversion stay, as nothing was changed in them', async () => {
    const { converter: subject } = converter(converted);
    const old = { ...widget('a'), metadata: { ...widget('a').metadata!, labels: { a: '-' } } };
    expect((await settled(() => subject.convert(old, 'e.com/v2'))).metadata!.labels).toEqual({ a: '-' });
  });
});
