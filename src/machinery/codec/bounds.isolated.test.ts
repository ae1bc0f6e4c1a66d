/** What one body may cost: an object's parts are counted, and mistakes are not made for each other's sake. */
import { describe, expect, test, vi } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import * as base64 from '../json/base64.ts';
import { JsonBody } from '../json/body.ts';
import { createCodecs } from './index.ts';
import { maxContainers, maxMessages } from './size-limits.ts';

vi.mock('../json/base64.ts', async (original) => {
  const module = await original<typeof base64>();
  return { canonicalBase64: vi.fn(module.canonicalBase64) };
});

const codecs = createCodecs(schemas);
const million = 1_000_000;

describe('parts of a message', () => {
  const empty = (tag: number, count: number): Buffer => Buffer.alloc(count * 2, Buffer.from([tag, 0]));

  test.each([
    { name: 'claims of a set', id: 'apps/v1.StatefulSetSpec', tag: 0x22 },
    { name: 'items of a list', id: 'batch/v1.CronJobList', tag: 0x12 },
    { name: 'containers', id: 'core/v1.PodSpec', tag: 0x12 },
  ])('More parts of a message than its bytes can mean are refused: empty $name', ({ id, tag }) => {
    expect(() => codecs.of(id).decode(empty(tag, million))).toThrow(
      expect.objectContaining({
        name: 'DecodeError',
        message: 'proto: too many messages for the length of the object',
      }),
    );
    expect(() => codecs.of(id).decode(empty(tag, 40_000))).not.toThrow();
  });

  test('Parts of a message are counted for each message anew', () => {
    const codec = codecs.of('core/v1.PodSpec');
    expect(() => codec.decode(empty(0x12, million))).toThrow('too many messages');
    const pods = codecs.of('core/v1.Pod');
    // Two specs: the transcoder has to decode.
    const bytes = Buffer.concat([pods.encode({ spec: { nodeName: 'a' } }), pods.encode({ spec: { hostname: 'b' } })]);
    expect(JSON.parse(pods.transcode(bytes).toString())).toMatchObject({ spec: { hostname: 'b' } });
  });

  test('Groups and unknown fields of a message take no memory', () => {
    for (const unknown of [
      Buffer.alloc(million, Buffer.from([0xa3, 0x3f, 0xa4, 0x3f])),
      Buffer.alloc(million, Buffer.from([0xa0, 0x3f, 0])),
    ]) {
      expect(codecs.of('core/v1.PodSpec').decode(unknown.subarray(0, unknown.length - (unknown.length % 12)))).toEqual(
        codecs.of('core/v1.PodSpec').empty(),
      );
    }
  });

  test('Parts of a message grow with the length: a port of a network policy is seventeen bytes', () => {
    const ports = Array.from({ length: 100_000 }, (_, i) => ({ protocol: 'TCP', port: i % 65_536 }));
    const codec = codecs.of('networking/v1.NetworkPolicyIngressRule');
    expect(codec.decode(codec.encode({ ports }))['ports']).toHaveLength(100_000);
  });
});

describe('objects and lists of a text', () => {
  test.each([
    { name: 'lists', text: `{"odd":[${'[],'.repeat(million)}[]]}` },
    { name: 'objects', text: `{"odd":[${'{},'.repeat(million)}{}]}` },
  ])('More parts of a text than its characters can mean are refused: empty $name', ({ text }) => {
    expect(() => new JsonBody(text)).toThrow(
      expect.objectContaining({
        name: 'JsonTypeError',
        message: 'document has too many objects and lists for its length',
      }),
    );
  });

  test('Objects and lists of a text are refused for their depth where that is the mistake', () => {
    expect(() => new JsonBody('['.repeat(million))).toThrow(
      expect.objectContaining({ name: 'JsonSyntaxError', message: "invalid character '[' exceeded max depth" }),
    );
  });

  test('Objects and lists of a text grow with the length: a field set of short names is read', () => {
    const fields = Array.from({ length: 200_000 }, (_, i) => `"f:${i.toString(36)}":{}`).join(',');
    const text = `{"metadata":{"managedFields":[{"fieldsV1":{${fields}}}]}}`;
    expect(codecs.of('core/v1.Pod').fromJson(text).problems).toEqual([]);
  });

  test('The bounds leave any object of fifty thousand parts alone', () => {
    expect(maxMessages(0)).toBe(50_000);
    expect(maxContainers(0)).toBe(50_000);
  });
});

describe('mistakes', () => {
  test('Mistakes in base64 are looked for until there is one', () => {
    vi.mocked(base64.canonicalBase64).mockClear();
    const text = `{"data":{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":"%"`).join(',')}}}`;
    expect(() => codecs.of('core/v1.Secret').fromJson(text)).toThrow('illegal base64 data at input byte 0');
    expect(base64.canonicalBase64).toHaveBeenCalledTimes(1);
  });

  test('Mistakes with a long path are told in little more than the path', () => {
    const name = 'x'.repeat(million);
    const unknown = Array.from({ length: 100 }, (_, i) => `"odd${i}":1`).join(',');
    const { problems } = codecs
      .of('apiextensions/v1.JSONSchemaProps')
      .fromJson(`{"properties":{"${name}":{${unknown}}}}`);
    expect(problems).toEqual([`unknown field "properties.${name}.odd0"`]);
    const repeated = Array.from({ length: 100 }, (_, i) => `"k${i}":1,"k${i}":1`).join(',');
    expect(new JsonBody(`{"${name}":{${repeated}}}`).value().problems).toHaveLength(1);
  });

  test('Mistakes inside a schema that is decoded by itself are not told, those before it are', () => {
    const text =
      '{"odd":1,' +
      `"properties":{${Array.from({ length: 1_000 }, (_, i) => `"p${i}":{"items":{"odd":1}}`).join(',')}},` +
      '"more":1}';
    expect(codecs.of('apiextensions/v1.JSONSchemaProps').fromJson(text).problems).toEqual([
      'unknown field "odd"',
      'unknown field "more"',
    ]);
  });
});
