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
  test('what is asked for together goes in one review', async () => {
    const { converter: subject, reviews } = converter(converted);
    const objects = [widget('a'), widget('b'), widget('a')];
    await settleAll(objects, (object) => subject.convert(object, 'e.com/v2'));
    expect(
      reviews.map(({ request }) => [request.desiredAPIVersion, request.objects.map(({ metadata }) => metadata!.name)]),
    ).toEqual([['e.com/v2', ['a', 'b']]]);
    expect(subject.convert(objects[1]!, 'e.com/v2')).toMatchObject({ apiVersion: 'e.com/v2', metadata: { name: 'b' } });
  });

  test('an object of the version is not asked about', () => {
    const object = widget('a');
    expect(converter(converted).converter.convert(object, 'e.com/v1')).toBe(object);
  });

  test('labels and annotations may change, other metadata does not', async () => {
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

  test('the first review version that this server speaks is used', async () => {
    const { converter: subject, reviews } = converter(converted, ['v9', 'v1beta1']);
    await settled(() => subject.convert(widget('a'), 'e.com/v2'));
    expect(reviews[0]!.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
  });

  test.each<{ name: string; answer: (review: Review) => object; message: string }>([
    {
      name: 'says no',
      answer: ({ apiVersion, request: { uid } }) => ({
        kind: 'ConversionReview',
        apiVersion,
        response: { uid, result: { status: 'Failed', message: 'not today' } },
      }),
      message: 'not today',
    },
    {
      name: 'answers something else',
      answer: () => ({ kind: 'Status', apiVersion: 'v1' }),
      message: 'expected response of kind apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Status',
    },
    {
      name: 'answers another question',
      answer: (review) => converted({ ...review, request: { ...review.request, uid: 'other' } }),
      message: expect.stringContaining('got "other"') as string,
    },
    {
      name: 'loses an object',
      answer: (review) => converted({ ...review, request: { ...review.request, objects: [] } }),
      message: 'returned 0 objects, expected 1',
    },
    {
      name: 'returns another version',
      answer: (review) => converted(review, (object) => ({ ...object, apiVersion: 'e.com/v3' })),
      message:
        'returned invalid converted object at index 0: invalid apiVersion (expected e.com/v2, received e.com/v3)',
    },
    {
      name: 'renames an object',
      answer: (review) => converted(review, (object) => ({ ...object, metadata: { ...object.metadata, name: 'z' } })),
      message: 'returned invalid converted object at index 0: must have the same name: a != z',
    },
  ])('a webhook that $name', async ({ answer, message }) => {
    const { converter: subject, reviews } = converter(answer);
    const ask = (): Promise<KubeObject> => settled(() => subject.convert(widget('a'), 'e.com/v2'));
    await expect(ask()).rejects.toMatchObject({
      code: 500,
      message:
        typeof message === 'string' ? `conversion webhook for e.com/v1, Kind=Widget failed: ${message}` : message,
    });
    // The next attempt asks the webhook again.
    await expect(ask()).rejects.toThrow('conversion webhook for e.com/v1');
    expect(reviews).toHaveLength(2);
  });
});
