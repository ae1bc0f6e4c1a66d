import { describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import { asJson } from '../../machinery/object-meta.ts';
import type { ApiRequest } from '../request/request.ts';
import { LargeBody } from './large-body.ts';
import { readBody } from './body.ts';
import type { EndpointContext } from './context.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { FieldValidation } from './write-parameters.ts';

const configMaps = codecs.of('core/v1.ConfigMap');
const context = { codecs, schemas, maxBodyBytes: 1_000_000 } as unknown as EndpointContext;
const served = {
  servedVersion: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    codec: configMaps,
    setDefaults: (object: { metadata?: { labels?: object } }) => (object.metadata!.labels = { default: 'yes' }),
  },
} as unknown as ServedResource;
const custom = {
  servedVersion: {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    codec: configMaps,
    custom: {},
    setDefaults: () => undefined,
  },
} as unknown as ServedResource;

interface Given {
  readonly body: string | Buffer;
  readonly contentType?: string;
  readonly validation?: FieldValidation;
  readonly of?: ServedResource;
  readonly largeBodyBytes?: number;
}

async function decode({ body, contentType, validation = 'Warn', of = served, largeBodyBytes }: Given) {
  const warnings: string[] = [];
  const request = {
    header: () => contentType,
    exchange: { readBody: async () => Buffer.from(body as string) },
    ...(largeBodyBytes === undefined ? {} : { largeBodyBytes }),
  } as unknown as ApiRequest;
  const read = await readBody(context, request);
  return { object: asJson(read.decode(of, validation, (text) => warnings.push(text))), warnings };
}

const json = (more: object = {}): string => JSON.stringify({ metadata: { name: 'a' }, data: { k: 'v' }, ...more });

describe('a body', () => {
  test.each<{ name: string; given: Given }>([
    { name: 'without a media type is JSON', given: { body: json() } },
    {
      name: 'of JSON',
      given: { body: json({ apiVersion: 'v1', kind: 'ConfigMap' }), contentType: 'application/json' },
    },
    {
      name: 'of YAML',
      given: { body: 'metadata:\n  name: a\ndata:\n  k: v\n', contentType: 'application/yaml' },
    },
    {
      name: 'of protobuf',
      given: {
        body: writeEnvelope('v1', 'ConfigMap', configMaps.encode({ metadata: { name: 'a' }, data: { k: 'v' } })),
        contentType: 'application/vnd.kubernetes.protobuf',
      },
    },
  ])('A request body is read, and has defaults: $name', async ({ given }) => {
    const { object, warnings } = await decode(given);
    expect(object).toMatchObject({ metadata: { name: 'a', labels: { default: 'yes' } }, data: { k: 'v' } });
    expect(warnings).toEqual([]);
  });

  const twice = 'metadata:\n  name: a\ndata:\n  k: v\n  k: w\n  l: v\n  l: w\n';
  test('Each key that a YAML body has twice has its own warning with Warn', async () => {
    const { warnings } = await decode({ body: twice, contentType: 'application/yaml' });
    expect(warnings).toEqual(['line 5: key "k" already set in map', 'line 7: key "l" already set in map']);
  });

  test('Keys that a YAML body has twice are an error with Strict', async () => {
    await expect(decode({ body: twice, contentType: 'application/yaml', validation: 'Strict' })).rejects.toThrow(
      'strict decoding error: yaml: unmarshal errors:\n  line 5: key "k" already set in map\n  line 7: key "l"',
    );
  });

  const unknown = json({ dat: 1 });
  test.each<{ name: string; validation: FieldValidation; warnings: string[] }>([
    { name: 'is told of by default', validation: 'Warn', warnings: ['unknown field "dat"'] },
    { name: 'is not told of when the client does not want to know', validation: 'Ignore', warnings: [] },
  ])('A request body with an unknown field $name', async ({ validation, warnings }) => {
    expect((await decode({ body: unknown, validation })).warnings).toEqual(warnings);
  });

  test.each<{ name: string; given: Given; code: number; message: string }>([
    {
      name: 'with an unknown field, strictly',
      given: { body: unknown, validation: 'Strict' },
      code: 400,
      message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
    },
    {
      name: 'of nothing',
      given: { body: '' },
      code: 400,
      message: 'the object provided is unrecognized (must be of type ConfigMap): ',
    },
    {
      name: 'that is no JSON',
      given: { body: '{"a":' },
      code: 400,
      message: 'couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"a":)',
    },
    {
      name: 'with a value of the wrong type',
      given: { body: json({ data: 1 }) },
      code: 400,
      message: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into',
    },
    {
      name: 'of another kind',
      given: { body: json({ apiVersion: 'v1', kind: 'Secret', data: {} }) },
      code: 400,
      message:
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to ' +
        '(core.ConfigMap): unknown ' +
        'conversion',
    },
    {
      name: 'of an unknown kind',
      given: { body: json({ apiVersion: 'v9', kind: 'ConfigMap' }) },
      code: 400,
      message: 'no kind "ConfigMap" is registered for version "v9" in scheme',
    },
    {
      name: 'whose version is none',
      given: { body: json({ apiVersion: 'a/b/c', kind: 'ConfigMap' }) },
      code: 400,
      message: 'unexpected GroupVersion string: a/b/c',
    },
    {
      name: 'of a custom resource that does not say its kind',
      given: { body: json(), of: custom },
      code: 400,
      message: "Object 'Kind' is missing in '",
    },
    {
      name: 'of a custom resource in another version',
      given: { body: json({ apiVersion: 'example.com/v2', kind: 'Thing' }), of: custom },
      code: 400,
      message: 'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    },
    {
      name: 'of protobuf that is none',
      given: { body: 'k8s', contentType: 'application/vnd.kubernetes.protobuf' },
      code: 400,
      message: 'the object provided is unrecognized (must be of type ConfigMap): ',
    },
    {
      name: 'of another media type',
      given: { body: 'x', contentType: 'text/plain' },
      code: 415,
      message: 'media type',
    },
  ])('A request body is refused: $name', async ({ given, code, message }) => {
    await expect(decode(given)).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  test('A request body that is large is left to another thread', async () => {
    await expect(decode({ body: json(), largeBodyBytes: 10 })).rejects.toBeInstanceOf(LargeBody);
  });

  test('A request body is made anew for each attempt', async () => {
    const request = { header: () => undefined, exchange: { readBody: async () => Buffer.from(json()) } };
    const read = await readBody(context, request as unknown as ApiRequest);
    const first = read.decode(served, 'Warn', () => undefined);
    expect(read.decode(served, 'Warn', () => undefined)).not.toBe(first);
  });
});
