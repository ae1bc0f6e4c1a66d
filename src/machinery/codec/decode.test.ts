import { describe, expect, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import { parseJson } from '../json/reader.ts';
import type { JsonObject } from '../value.ts';
import { RawJson } from '../value.ts';
import { createCodecs, DecodeError, EncodeError } from './index.ts';

const codecs = createCodecs(schemas);
const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');
const decode = (typeId: string, text: string): JsonObject => codecs.of(typeId).decode(hex(text));

describe('messages in encodings that upstream does not write', () => {
  test.each([
    {
      name: 'unknown fields of every wire type are skipped',
      bytes: 'f806 01  f906 0102030405060708  fa06 02 6162  fb06 08 01 fc06  fd06 01020304  0a01 61',
      value: { key: 'a' },
    },
    { name: 'fields in any order', bytes: '1205 6162636465 0a0161', value: { key: 'a' } },
    { name: 'lengths and tags with more bytes than needed', bytes: '8a00 8100 61', value: { key: 'a' } },
  ])('Messages in encodings that upstream does not write: $name', ({ bytes, value }) => {
    expect(decode('core/v1.KeyToPath', bytes)).toMatchObject({ key: value.key });
  });

  test('A field that comes twice: the last scalar counts, messages are merged', () => {
    expect(decode('core/v1.KeyToPath', '0a0161 0a0162')).toMatchObject({ key: 'b' });
    expect(decode('core/v1.KeyToPath', '0a0161 0a00')).toEqual({});
    const codec = codecs.of('core/v1.Pod');
    const twice = Buffer.concat([
      codec.encode({ metadata: { name: 'a', labels: { x: '1' } } }),
      codec.encode({ metadata: { name: 'b', labels: { y: '2' } } }),
    ]);
    expect(codec.decode(twice)).toEqual({ metadata: { name: 'b', labels: { x: '1', y: '2' } }, spec: {}, status: {} });
    expect(codec.transcode(twice).equals(codec.toJson(codec.decode(twice)))).toBe(true);
  });

  test('Packed numbers, maps out of order, and map entries without key or value are decoded', () => {
    expect(decode('core/v1.PodSecurityContext', '22 03 01 ac02')).toEqual({ supplementalGroups: [1, 300] });
    const map = hex('12 06 0a0162 120131  12 06 0a0161 120132  12 03 120133  12 03 0a0163');
    const codec = codecs.of('core/v1.ConfigMap');
    expect(codec.decode(map)).toEqual({ metadata: {}, data: { b: '1', a: '2', '': '3', c: '' } });
    expect(codec.transcode(map).toString()).toBe(
      '{"metadata":{"creationTimestamp":null},"data":{"":"3","a":"2","b":"1","c":""}}',
    );
  });

  test('Quantities in other spellings are made canonical', () => {
    const bytes = codecs.of('core/v1.ResourceRequirements').encode({ limits: { memory: '1024Mi' } });
    expect(codecs.of('core/v1.ResourceRequirements').decode(bytes)).toEqual({ limits: { memory: '1Gi' } });
  });

  test('Nanoseconds of a Time are ignored, those of a MicroTime cut to micros', () => {
    expect(decode('coordination/v1.LeaseSpec', '1a 09 08 b093c1b106 10 8f4e')).toEqual({
      acquireTime: '2024-04-30T01:30:24.000009Z',
    });
    expect(decode('meta/v1.Condition', '22 09 08 b093c1b106 10 8f4e')).toEqual({
      lastTransitionTime: '2024-04-30T01:30:24Z',
    });
    expect(decode('coordination/v1.LeaseSpec', '1a 0d 08 00 10 ffffffffffffffffff01')).toEqual({
      acquireTime: '1969-12-31T23:59:59.999999Z',
    });
  });

  test('Zero times and empty messages stand for nothing', () => {
    expect(decode('meta/v1.Condition', '2200')).toEqual({});
    expect(decode('meta/v1.ObjectMeta', '4200 4a00')).toEqual({});
    expect(decode('apps/v1.ControllerRevision', '1200')).toEqual({ metadata: {} });
  });

  test('Bytes of a message that are no UTF-8 come back as they were', () => {
    const bytes = hex('0a 06 61 ff c3 28 e2 82');
    const codec = codecs.of('core/v1.KeyToPath');
    const value = codec.decode(bytes);
    expect(codec.encode(value).equals(hex('0a 06 61 ff c3 28 e2 82 12 00'))).toBe(true);
    expect(codec.transcode(bytes).toString()).toBe('{"key":"a\\ufffd\\ufffd(\\ufffd\\ufffd","path":""}');
    expect(codec.toJson(value).equals(codec.transcode(bytes))).toBe(true);
  });

  test('Carried JSON stays as it is, also when it is none', () => {
    const codec = codecs.of('apps/v1.ControllerRevision');
    for (const raw of ['{"b" : 1.0, "a":"\\u003c"}', 'k8s\0\xff']) {
      const bytes = codec.encode({ metadata: {}, data: new RawJson(raw, raw.includes('\xff')).asValue() });
      expect(codec.encode(codec.decode(bytes)).equals(bytes)).toBe(true);
    }
    const bytes = codec.encode({ metadata: {}, data: new RawJson('{"b" : 1.0, "a":"<"}').asValue(), revision: 1 });
    expect(codec.transcode(bytes).toString()).toBe(
      '{"metadata":{"creationTimestamp":null},"data":{"b":1.0,"a":"\\u003c"},"revision":1}',
    );
    const binary = codec.encode({ metadata: {}, data: new RawJson('k8s\0', true).asValue() });
    expect(() => codec.transcode(binary)).toThrow(EncodeError);
    expect(() => codec.toJson(codec.decode(binary))).toThrow(EncodeError);
    const broken = codec.encode({ metadata: {}, data: new RawJson('{"a":').asValue() });
    expect(() => codec.transcode(broken)).toThrow('the value is no JSON');
  });
});

describe('malformed messages', () => {
  test.each([
    ['a length beyond the end', 'core/v1.KeyToPath', '0a05 61', 'unexpected EOF'],
    ['an enormous length', 'core/v1.KeyToPath', '0a ffffffffffffffffff01', 'unexpected EOF'],
    ['a tag without value', 'core/v1.KeyToPath', '0a', 'unexpected EOF'],
    ['a number without end', 'core/v1.KeyToPath', '18 ff', 'unexpected EOF'],
    ['a number of eleven bytes', 'core/v1.KeyToPath', '18 ffffffffffffffffffffff01', 'proto: integer overflow'],
    ['field number 0', 'core/v1.KeyToPath', '00', 'proto: KeyToPath: illegal tag 0 (wire type 0)'],
    ['a known field of another wire type', 'core/v1.KeyToPath', '0801', 'proto: wrong wireType = 0 for field Key'],
    [
      'the end of a group that did not begin',
      'core/v1.KeyToPath',
      '0c',
      'proto: KeyToPath: wiretype end group for non-group',
    ],
    ['a group without end', 'core/v1.KeyToPath', 'fb06 0801', 'unexpected EOF'],
    ['wire type 6', 'core/v1.KeyToPath', 'fe06 01', 'proto: illegal wireType 6'],
    ['an inner message that ends late', 'core/v1.Pod', '0a02 0a05 61626364', 'unexpected EOF'],
    ['an inner message that ends early', 'core/v1.Pod', '0a03 0a01', 'unexpected EOF'],
    ['a map entry that ends late', 'core/v1.ConfigMap', '1204 0a05 6161', 'unexpected EOF'],
    [
      'a quantity that is none',
      'core/v1.ResourceRequirements',
      '0a08 0a0161 12 03 0a0178',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['an int-or-string of a third type', 'core/v1.ServicePort', '22 02 0802', 'impossible IntOrString.Type'],
    [
      'a time outside of all calendars',
      'meta/v1.Condition',
      '22 0a 08 ffffffffffffffff7f',
      'proto: time outside of the years 0 to 9999',
    ],
    ['a JSON value that is none', 'apiextensions/v1.JSONSchemaProps', '42 03 0a01 7b', 'unexpected end of JSON input'],
  ])('Malformed protobuf messages: %s', (_name, typeId, bytes, message) => {
    const codec = codecs.of(typeId);
    expect(() => codec.decode(hex(bytes))).toThrow(expect.objectContaining({ name: 'DecodeError', message }));
    expect(() => codec.transcode(hex(bytes))).toThrow(DecodeError);
  });

  test('Messages nested without end are refused', () => {
    let bytes = Buffer.alloc(0);
    for (let i = 0; i < 3000; i++) bytes = Buffer.concat([hex('da01'), varint(bytes.length), bytes]);
    expect(() => codecs.of('apiextensions/v1.JSONSchemaProps').decode(bytes)).toThrow(DecodeError);
    expect(() => codecs.of('apiextensions/v1.JSONSchemaProps').transcode(bytes)).toThrow(DecodeError);
  });

  function varint(value: number): Buffer {
    const out: number[] = [];
    for (; value > 127; value >>>= 7) out.push((value & 127) | 128);
    return Buffer.from([...out, value]);
  }
});

describe('values', () => {
  test('Integers of 64 bits are decoded at their ends', () => {
    const codec = codecs.of('meta/v1.ObjectMeta');
    for (const generation of [
      1,
      -1,
      127,
      128,
      16383,
      16384,
      2 ** 28,
      2 ** 31,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 35,
      2 ** 49,
      2 ** 53 - 1,
      -(2 ** 53) + 1,
      2n ** 53n,
      2n ** 56n,
      2n ** 62n,
      2n ** 63n - 1n,
      -(2n ** 63n),
      -(2n ** 53n),
    ]) {
      const bytes = codec.encode({ generation });
      expect(codec.decode(bytes)).toEqual({ generation });
      expect(codec.transcode(bytes).toString()).toContain(`"generation":${generation},`);
    }
  });

  test('One larger than the scratch buffer', () => {
    const codec = codecs.of('core/v1.ConfigMap');
    const data = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`key-${i}`, 'x'.repeat(10_000) + 'ü']),
    ) as JsonObject;
    const bytes = codec.encode({ metadata: {}, data });
    expect(bytes.length).toBeGreaterThan(3_000_000);
    expect(codec.decode(bytes)).toEqual({ metadata: {}, data });
    expect(parseJson(codec.transcode(bytes))).toEqual({ metadata: { creationTimestamp: null }, data });
    expect(codec.toJson({ metadata: {}, data }).equals(codec.transcode(bytes))).toBe(true);
    expect(codec.fromJson(codec.transcode(bytes)).value).toEqual({ metadata: {}, data });
  });

  test('Results of decoding do not share memory with each other', () => {
    const codec = codecs.of('core/v1.KeyToPath');
    const [a, b] = [codec.encode({ key: 'a', path: 'x' }), codec.encode({ key: 'b', path: 'y' })];
    expect(codec.decode(a)).toEqual({ key: 'a', path: 'x' });
    expect(a.buffer).not.toBe(b.buffer);
    expect(a.buffer.byteLength).toBe(a.length);
  });

  test.each([
    { name: 'a number for a text', value: { key: 5 }, message: 'cannot encode a value of type number as string' },
    { name: 'a text for a number', value: { mode: 'x' }, message: 'cannot encode a value of type string as integer' },
    { name: 'a fraction for a number', value: { mode: 1.5 }, message: '1.5 is no integer' },
  ])('Protobuf values that do not fit are refused: $name', ({ value, message }) => {
    expect(() => codecs.of('core/v1.KeyToPath').encode(value)).toThrow(
      expect.objectContaining({ name: 'EncodeError', message }),
    );
  });

  test('Types without a protobuf message have JSON only', () => {
    const table = codecs.of('meta/v1.Table');
    expect(
      table
        .toJson({
          kind: 'Table',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { resourceVersion: '5' },
          rows: [{ cells: ['a', 1, null, true], object: { z: 1, a: 2 } }],
        })
        .toString(),
    ).toBe(
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},' +
        '"columnDefinitions":null,"rows":[{"cells":["a",1,null,true],"object":{"a":2,"z":1}}]}',
    );
    expect(() => table.encode({})).toThrow('meta/v1.Table has no protobuf form');
  });

  test('A name that does not exist is a mistake of the program', () => {
    expect(() => codecs.of('core/v1.Nothing')).toThrow('core/v1.Nothing');
  });
});
