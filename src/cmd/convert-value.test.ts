import { describe, expect, test } from 'vitest';
import { fixtureNames, fixtureObject, hasFixtures, readFixture } from '../../test/support/fixtures.ts';
import { writeYaml } from '../machinery/json/yaml.ts';
import { convertValue } from './convert-value.ts';

const convert = (value: string | Uint8Array, to: 'json' | 'yaml' | 'protobuf'): string =>
  Buffer.from(convertValue(Buffer.from(value), to)).toString('latin1');

/** An envelope without a kind does not say what it holds. */
const named = fixtureNames.filter(({ name }) => name !== 'core.v1.WatchEvent');

describe.skipIf(!hasFixtures)('every encoding of an object converts to every other (facts/roundtrip)', () => {
  test.each(named)('Every encoding of an object converts to every other: $name', ({ name }) => {
    const object = fixtureObject(name);
    const protobuf = readFixture(name, 'pb');
    // Carried JSON keeps its spaces, so the text has none.
    for (const value of [Buffer.from(JSON.stringify(object)), readFixture(name, 'yaml'), protobuf]) {
      expect(convert(value, 'protobuf')).toBe(protobuf.toString('latin1'));
      expect(convert(value, 'yaml')).toBe(writeYaml(object));
      expect(convert(value, 'json')).toBe(`${JSON.stringify(object, undefined, 2)}\n`);
    }
  });
});

describe('orch convert', () => {
  test('orch convert prints JSON indented, kind and apiVersion first', () => {
    expect(convert('data: {b: x}\nmetadata: {name: a}\napiVersion: v1\nkind: ConfigMap\n', 'json')).toBe(
      '{\n  "kind": "ConfigMap",\n  "apiVersion": "v1",\n  "metadata": {\n    "name": "a",\n    ' +
        '"creationTimestamp": null\n  },\n  "data": {\n    "b": "x"\n  }\n}\n',
    );
  });

  test('orch convert turns custom resources from JSON into YAML and back, exactly', () => {
    expect(
      convert(
        '{"kind":"Thing","apiVersion":"example.com/v1","spec":{"n":9007199254740993,"__proto__":{"a":1.5}}}',
        'yaml',
      ),
    ).toBe('apiVersion: example.com/v1\nkind: Thing\nspec:\n  __proto__:\n    a: 1.5\n  "n": 9007199254740993\n');
  });

  test('orch convert keeps members that the type does not have', () => {
    expect(convert('{"kind":"ConfigMap","apiVersion":"v1","odd":1}', 'yaml')).toBe(
      'apiVersion: v1\nkind: ConfigMap\nodd: 1\n',
    );
  });

  test.each([
    { name: 'nothing', value: '', message: 'nothing to convert' },
    {
      name: 'a custom resource',
      value: '{"kind":"Thing","apiVersion":"example.com/v1"}',
      message: 'there is no protobuf form: Thing of example.com/v1 is no built-in type',
    },
    {
      name: 'members that would be lost',
      value: '{"kind":"ConfigMap","apiVersion":"v1","odd":1}',
      message: 'there is no protobuf form: unknown field "odd"',
    },
    {
      name: 'a list without kind',
      value: '- a\n',
      message:
        'json: cannot unmarshal array into Go value of type struct { APIVersion string ' +
        '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    },
    {
      name: 'a member of the wrong type',
      value: '{"kind":"ConfigMap","apiVersion":"v1","data":{"a":1}}',
      message: 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    },
    { name: 'broken JSON', value: '{"kind":', message: 'unexpected end of JSON input' },
    { name: 'a truncated envelope', value: 'k8s\0\n\x07', message: 'unexpected EOF' },
    {
      name: 'an unknown kind in an envelope',
      value: 'k8s\0\n\x0a\n\x02v1\x12\x04None\x12\x00',
      message: 'unknown type: kind "None" of "v1"',
    },
    {
      name: 'an encrypted value',
      value: 'k8s:enc:aescbc:v1:key1:\x00\x01',
      message: 'the value is encrypted (k8s:enc:aescbc:v1:key1)',
    },
  ])('orch convert refuses $name to protobuf', ({ value, message }) => {
    expect(() => convertValue(Buffer.from(value, 'latin1'), 'protobuf')).toThrow(expect.objectContaining({ message }));
  });
});
