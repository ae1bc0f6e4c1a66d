import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../value.ts';
import { codecs, decode, pod } from './testing/bodies.ts';

describe('problems that strict decoding refuses', () => {
  test.each([
    {
      name: 'unknown members',
      text: '{"spec":{"odd":1,"containers":[{"bad":{"a":1,"a":2}},{"ports":[{"worse":2}]}]},"nonsense":1}',
      problems: [
        'unknown field "spec.odd"',
        'unknown field "spec.containers[0].bad"',
        'unknown field "spec.containers[1].ports[0].worse"',
        'unknown field "nonsense"',
      ],
    },
    { name: 'names in another case', text: '{"Spec":{}}', problems: ['unknown field "Spec"'] },
    {
      name: 'duplicate members and keys',
      text: '{"metadata":{"name":"a","labels":{"k":"1","k":"2"},"name":"b"}}',
      problems: ['duplicate field "metadata.labels.k"', 'duplicate field "metadata.name"'],
    },
    { name: 'each text once', text: '{"odd":1,"odd":2}', problems: ['unknown field "odd"'] },
    {
      name: 'odd names, quoted',
      text: '{"a\\"b":1,"tab\\tx":1,"é":1}',
      problems: ['unknown field "a\\"b"', 'unknown field "tab\\tx"', 'unknown field "é"'],
    },
    { name: '__proto__', text: '{"__proto__":{"polluted":1}}', problems: ['unknown field "__proto__"'] },
  ])('Problems that strict decoding refuses: $name', ({ text, problems }) => {
    expect(decode('core/v1.Pod', text).problems).toEqual(problems);
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });

  test('A member that comes twice is read into what the first one left', () => {
    expect(
      decode(
        'core/v1.ConfigMap',
        '{"data":{"k":"v","k":"w"},"data":{"z":"z"},"metadata":{"name":"a"},' +
          '"metadata":{"namespace":"b"},"metadata":null}',
      ).value,
    ).toEqual({ data: { k: 'w', z: 'z' }, metadata: { name: 'a', namespace: 'b' } });
  });

  test('Paths of problems that strict decoding refuses begin where the value stands', () => {
    expect(codecs.of('meta/v1.ObjectMeta').normalize({ odd: 1 }, 'metadata').problems).toEqual([
      'unknown field "metadata.odd"',
    ]);
  });
});

describe('values of the wrong type, in the words of Go', () => {
  const unmarshal = (what: string, where: string, type: string): string =>
    `json: cannot unmarshal ${what} into Go struct field ${where} of type ${type}`;

  test.each([
    ['core/v1.Pod', '{"metadata":"x"}', unmarshal('string', 'Pod.metadata', 'v1.ObjectMeta')],
    ['core/v1.Pod', '{"metadata":{"name":5}}', unmarshal('number', 'ObjectMeta.metadata.name', 'string')],
    ['core/v1.Pod', '{"metadata":{"labels":{"a":true}}}', unmarshal('bool', 'ObjectMeta.metadata.labels', 'string')],
    [
      'core/v1.Pod',
      '{"metadata":{"labels":[]}}',
      unmarshal('array', 'ObjectMeta.metadata.labels', 'map[string]string'),
    ],
    ['core/v1.Pod', '{"spec":{"containers":{}}}', unmarshal('object', 'PodSpec.spec.containers', '[]v1.Container')],
    [
      'core/v1.Pod',
      '{"spec":{"containers":[{"ports":[{"containerPort":"80"}]}]}}',
      unmarshal('string', 'ContainerPort.spec.containers.ports.containerPort', 'int32'),
    ],
    [
      'core/v1.Pod',
      '{"spec":{"priority":3000000000}}',
      unmarshal('number 3000000000', 'PodSpec.spec.priority', 'int32'),
    ],
    ['core/v1.Pod', '{"spec":{"priority":1.0}}', unmarshal('number 1.0', 'PodSpec.spec.priority', 'int32')],
    ['core/v1.Pod', '{"spec":{"priority":1e3}}', unmarshal('number 1e3', 'PodSpec.spec.priority', 'int32')],
    [
      'core/v1.Pod',
      '{"spec":{"activeDeadlineSeconds":9223372036854775808}}',
      unmarshal('number 9223372036854775808', 'PodSpec.spec.activeDeadlineSeconds', 'int64'),
    ],
    [
      'core/v1.Pod',
      '{"spec":{"restartPolicy":1}}',
      unmarshal('number', 'PodSpec.spec.restartPolicy', 'v1.RestartPolicy'),
    ],
    ['core/v1.Pod', '{"spec":{"overhead":[]}}', unmarshal('array', 'PodSpec.spec.overhead', 'v1.ResourceList')],
    [
      'core/v1.PersistentVolume',
      '{"spec":{"accessModes":"x"}}',
      unmarshal('string', 'PersistentVolumeSpec.spec.accessModes', '[]v1.PersistentVolumeAccessMode'),
    ],
    ['core/v1.Secret', '{"data":{"a":1}}', unmarshal('number', 'Secret.data', '[]uint8')],
    ['core/v1.Secret', '{"data":{"a":"%%%"}}', 'illegal base64 data at input byte 0'],
    [
      'core/v1.Pod',
      '{"metadata":{"creationTimestamp":"yesterday"}}',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      'core/v1.Pod',
      '{"metadata":{"creationTimestamp":5}}',
      unmarshal('number', 'ObjectMeta.metadata.creationTimestamp', 'string'),
    ],
    [
      'core/v1.Pod',
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'core/v1.Pod',
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":true}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'core/v1.Service',
      '{"spec":{"ports":[{"targetPort":true}]}}',
      unmarshal('bool', 'ServicePort.spec.ports.targetPort', 'int32'),
    ],
    [
      'authorization/v1.SubjectAccessReview',
      '{"spec":{"extra":{"a":"b"}}}',
      unmarshal('string', 'SubjectAccessReviewSpec.spec.extra', 'v1.ExtraValue'),
    ],
    ['apiextensions/v1.JSONSchemaProps', '{"additionalProperties":1}', 'boolean or JSON schema expected'],
    [
      'apiextensions/v1.JSONSchemaProps',
      '{"properties":{"a":{"items":{"type":1}}}}',
      unmarshal('number', 'JSONSchemaProps.properties.items', 'string'),
    ],
    ['core/v1.Pod', '[]', 'json: cannot unmarshal array into Go value of type v1.Pod'],
  ])('Values of the wrong type, in the words of Go: %s %s', (typeId, text, message) => {
    expect(() => decode(typeId, text)).toThrow(expect.objectContaining({ name: 'JsonTypeError', message }));
  });

  test('The first of several errors is reported, but errors of types with their own decoder go first', () => {
    expect(() => pod('{"spec":{"nodeName":1},"metadata":{"name":2}}')).toThrow('PodSpec.spec.nodeName');
    expect(() => pod('{"spec":{"nodeName":1},"metadata":{"creationTimestamp":"x"}}')).toThrow('parsing time');
  });

  test('A syntax error counts before all', () => {
    expect(() => pod('{"spec":{"nodeName":1}')).toThrow(
      expect.objectContaining({ name: 'JsonSyntaxError', message: 'unexpected end of JSON input' }),
    );
  });
});
