import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../value.ts';
import { RawJson } from '../value.ts';
import { JsonBody } from './body.ts';
import { codecs, decode, pod } from './testing/bodies.ts';

describe('normalized values', () => {
  test.each([
    { name: 'structs that are no pointers are there', text: '{}', value: { metadata: {}, spec: {}, status: {} } },
    {
      name: 'null is nothing',
      text: '{"metadata":null,"spec":{"containers":null,"priority":null,"nodeName":null},"status":null}',
      value: { metadata: {}, spec: {}, status: {} },
    },
    {
      name: 'zeros are left out unless they are pointers',
      text: '{"spec":{"hostNetwork":false,"nodeName":"","priority":0,"terminationGracePeriodSeconds":0}}',
      value: { metadata: {}, spec: { priority: 0, terminationGracePeriodSeconds: 0 }, status: {} },
    },
    {
      name: 'empty lists and maps stay',
      text: '{"metadata":{"labels":{},"finalizers":[]}}',
      value: { metadata: { labels: {}, finalizers: [] }, spec: {}, status: {} },
    },
    {
      name: 'null in lists and maps is zero',
      text: '{"metadata":{"labels":{"a":null},"finalizers":[null]},"spec":{"containers":[null]}}',
      value: {
        metadata: { labels: { a: '' }, finalizers: [''] },
        spec: { containers: [{ resources: {} }] },
        status: {},
      },
    },
    {
      name: 'quantities in canonical fieldType, from texts and numbers',
      text: '{"spec":{"overhead":{"a":"1024Mi","b":0.5,"c":" 2 ","d":null,"e":1e3,"f":100000000000000000001}}}',
      value: {
        metadata: {},
        spec: { overhead: { a: '1Gi', b: '500m', c: '2', d: '0', e: '1e3', f: '100000000000000000001' } },
        status: {},
      },
    },
    {
      name: 'times in UTC',
      text:
        '{"metadata":{"creationTimestamp":"2024-05-01T12:00:00.5+02:00",' +
        '"deletionTimestamp":"0001-01-01T00:00:00Z"}}',
      value: { metadata: { creationTimestamp: '2024-05-01T10:00:00Z' }, spec: {}, status: {} },
    },
    {
      name: 'numbers of 64 bits',
      text: '{"metadata":{"generation":9223372036854775807},"spec":{"activeDeadlineSeconds":-9223372036854775808}}',
      value: {
        metadata: { generation: 9223372036854775807n },
        spec: { activeDeadlineSeconds: -9223372036854775808n },
        status: {},
      },
    },
    {
      name: 'members of inlined structs',
      text: '{"spec":{"volumes":[{"name":"v","emptyDir":{}}]}}',
      value: { metadata: {}, spec: { volumes: [{ name: 'v', emptyDir: {} }] }, status: {} },
    },
    {
      name: 'apiVersion and kind',
      text: '{"kind":"Pod","apiVersion":"v1"}',
      value: { kind: 'Pod', apiVersion: 'v1', metadata: {}, spec: {}, status: {} },
    },
  ])('Normalized values of a JSON body: $name', ({ text, value }) => {
    expect(pod(text)).toEqual(value);
    // The exact way, which a member that is not known brings about, comes to the same.
    expect(pod(`{"odd":{"x":[1.5]},${text.slice(1)}`.replace(',}', '}'))).toEqual(value);
  });

  test('Normalized values are int-or-string, base64, and JSON that is carried', () => {
    expect(
      decode('core/v1.Service', '{"spec":{"ports":[{"targetPort":"http"},{"targetPort":80},{"targetPort":0}]}}').value[
        'spec'
      ],
    ).toEqual({ ports: [{ targetPort: 'http' }, { targetPort: 80 }, {}] });
    expect(decode('core/v1.Secret', '{"data":{"a":"aGVs\\nbG8=","b":null,"c":""}}').value['data']).toEqual({
      a: 'aGVsbG8=',
      b: '',
      c: '',
    });
    expect(decode('core/v1.Secret', '{"data":{"a":[104,105]}}').value['data']).toEqual({ a: 'aGk=' });
    expect(
      decode('apps/v1.ControllerRevision', '{"data": {"b":1.0, "a":"\\u003c"},"revision":1}').value['data'],
    ).toEqual(new RawJson('{"b":1.0, "a":"\\u003c"}'));
    expect(decode('apps/v1.ControllerRevision', '{"data":null}').value['data']).toBeUndefined();
  });

  test('Objects in a template carry no type of their own in memory, and show one in JSON', () => {
    const codec = codecs.of('apps/v1.StatefulSet');
    const { value } = codec.fromJson(
      '{"spec":{"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"d"}}]}}',
    );
    expect((value['spec'] as JsonObject)['volumeClaimTemplates']).toEqual([
      { metadata: { name: 'd' }, spec: { resources: {} }, status: {} },
    ]);
    expect(codec.toJson(value).toString()).toContain(
      '"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"d"',
    );
    expect(codec.transcode(codec.encode(value)).equals(codec.toJson(value))).toBe(true);
  });

  test('Normalized schemas of custom resources are a schema or something else', () => {
    const text =
      '{"properties":{"a":{"items":{"type":"string"}},"b":{"items":[{},{"type":"x"}]}},' +
      '"additionalProperties":false,"additionalItems":{},"default":{"b":1.0,"a":null},"enum":[null,1],' +
      '"dependencies":{"x":["y"],"z":{}}}';
    expect(decode('apiextensions/v1.JSONSchemaProps', text).value).toEqual({
      properties: { a: { items: { type: 'string' } }, b: { items: [{}, { type: 'x' }] } },
      additionalProperties: false,
      additionalItems: {},
      default: { b: 1, a: null },
      enum: [null, 1],
      dependencies: { x: ['y'], z: {} },
    });
  });

  test('Maps of normalized values have no prototype and keep every key', () => {
    const data = decode('core/v1.ConfigMap', '{"data":{"__proto__":"a","constructor":"b","10":"c","9":"d"}}').value[
      'data'
    ] as JsonObject;
    expect(Object.getPrototypeOf(data)).toBeNull();
    expect(Object.entries(data)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'a'],
        ['constructor', 'b'],
        ['10', 'c'],
        ['9', 'd'],
      ]),
    );
  });

  test('The value that is given stays as it is', () => {
    const value = Object.freeze({
      metadata: Object.freeze({ name: 'a', labels: Object.freeze({ b: 'c' }) }),
      data: null,
    });
    expect(codecs.of('core/v1.ConfigMap').normalize(value as JsonValue).value).toEqual({
      metadata: { name: 'a', labels: { b: 'c' } },
    });
  });
});

describe('nesting without end', () => {
  const deep = (open: string, close: string, depth = 9_900): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

  test('Nesting without end is no error in members that the type does not have', () => {
    expect(decode('core/v1.Pod', `{"odd":${deep('[', ']')}}`).problems).toEqual(['unknown field "odd"']);
    expect(decode('core/v1.Pod', `{"metadata":{"labels":{"a":"b"},"odd":${deep('{"a":', '}')}}}`).problems).toEqual([
      'unknown field "metadata.odd"',
    ]);
  });

  test('Nesting without end is carried in JSON that is carried', () => {
    const text = deep('{"a":', '}');
    expect(decode('apps/v1.ControllerRevision', `{"data":${text}}`).value['data']).toEqual(new RawJson(text));
    const codec = codecs.of('apps/v1.ControllerRevision');
    expect(
      codec.transcode(codec.encode(decode('apps/v1.ControllerRevision', `{"data":${text}}`).value)).toString(),
    ).toContain(text);
  });

  test.each([
    { name: 'in the type', text: deep('{"not":', '}', 3000).replace('1', '{}') },
    { name: 'in a value that is read', text: `{"default":${deep('[', ']')}}` },
    {
      name: 'beyond what JSON may',
      text: deep('{"not":', '}', 10_001),
      message: "invalid character '{' exceeded max depth",
    },
  ])('JSON nested without end is refused: $name', ({ text, message = 'exceeded max depth' }) => {
    expect(() => decode('apiextensions/v1.JSONSchemaProps', text)).toThrow(expect.objectContaining({ message }));
  });

  test('Nesting without end in a value without a type is refused', () => {
    expect(() => new JsonBody(deep('[', ']')).value()).toThrow("invalid character '[' exceeded max depth");
  });
});

describe('what a body claims to be', () => {
  const into =
    'into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string ' +
    '"json:\\"kind,omitempty\\"" }';

  test.each([
    { text: '{"kind":"Pod","apiVersion":"v1"}', typeMeta: { kind: 'Pod', apiVersion: 'v1' } },
    { text: '{"x":1.5}', typeMeta: { kind: '', apiVersion: '' } },
    { text: '{"kind":null}', typeMeta: { kind: '', apiVersion: '' } },
    { text: 'null', typeMeta: { kind: '', apiVersion: '' } },
  ])('Kind and version that a body claims: $text', ({ text, typeMeta }) => {
    expect(new JsonBody(text).typeMeta()).toEqual(typeMeta);
  });

  test.each([
    { text: '[1]', message: `json: cannot unmarshal array ${into}` },
    { text: '"x"', message: `json: cannot unmarshal string ${into}` },
    { text: '12', message: `json: cannot unmarshal number ${into}` },
    { text: '1.5', message: `json: cannot unmarshal number ${into}` },
    { text: '{"kind":5}', message: 'json: cannot unmarshal number into Go struct field .kind of type string' },
  ])('A body without a kind: $text', ({ text, message }) => {
    expect(() => new JsonBody(text).typeMeta()).toThrow(expect.objectContaining({ message }));
  });

  test('A value without a type keeps integers, keys and duplicates', () => {
    const { value, problems } = new JsonBody('{"a":{"__proto__":9007199254740993},"b":1.5,"a":{"10":1}}').value();
    expect(value).toEqual({ a: { 10: 1 }, b: 1.5 });
    expect(problems).toEqual(['duplicate field "a"']);
    expect(new JsonBody('{"a":{"b":[1]}}').value()).toEqual({ value: { a: { b: [1] } }, problems: [] });
    expect(Object.getPrototypeOf(new JsonBody('{"a":1}').value().value)).toBeNull();
  });
});
