import { describe, expect, test } from 'vitest';
import { mapOfPairs, RecordKeys, RecordMap } from '../machinery/small-map.ts';
import { createAttributesInterning } from './attributes-interning.ts';
import type { ObjectAttributes } from './objects.ts';

const fieldNames = new RecordKeys(['spec.nodeName', 'status.phase']);

function pod(index: number, labels: readonly string[]): [string, ObjectAttributes] {
  const name = `pod-number-${index}`;
  return [
    `/registry/pods/default/${name}`,
    {
      namespace: 'default',
      name,
      labels: mapOfPairs(labels),
      fields: new RecordMap(fieldNames, [`n${index}`, 'Running']),
    },
  ];
}

describe('attributes that share', () => {
  test('Attributes that share say what they said before', () => {
    const [key, attributes] = pod(1, ['app', 'x', 'tier', 'y', '__proto__', 'z']);
    const shared = createAttributesInterning()(key, attributes);
    expect({ ...shared, labels: [...shared.labels], fields: [...shared.fields] }).toEqual({
      ...attributes,
      labels: [...attributes.labels],
      fields: [...attributes.fields],
    });
    expect([shared.labels.get('tier'), shared.fields.get('spec.nodeName')]).toEqual(['y', 'n1']);
  });

  test('Attributes that share have label maps that say the same in common, and no others', () => {
    const share = createAttributesInterning();
    const [first, same, otherValue, otherPlace, none] = [
      share(...pod(1, ['app', 'x'])),
      share(...pod(2, ['app', 'x'])),
      share(...pod(3, ['app', 'y'])),
      share(...pod(4, ['ap', 'px'])),
      share(...pod(5, [])),
    ];
    expect(same.labels).toBe(first.labels);
    expect([...otherValue.labels]).toEqual([['app', 'y']]);
    expect([...otherPlace.labels]).toEqual([['ap', 'px']]);
    expect(none.labels.size).toBe(0);
  });

  test('Attributes that share stay right when more different labels come than are remembered', () => {
    const share = createAttributesInterning();
    const many = Array.from({ length: 10_000 }, (_, index) => share(...pod(index, ['id', String(index)])));
    expect(
      many.every(
        ({ labels, name, fields }, index) =>
          labels.get('id') === String(index) &&
          name === `pod-number-${index}` &&
          fields.get('spec.nodeName') === `n${index}`,
      ),
    ).toBe(true);
  });

  test('Attributes that share keep fields of other names, and a name that is not the end of the key', () => {
    const fields = new Map([['a', 'b']]);
    const attributes = createAttributesInterning()('/registry/x/y', {
      namespace: '',
      name: 'other',
      labels: new Map(),
      fields,
    });
    expect(attributes.name).toBe('other');
    expect(attributes.fields).toBe(fields);
  });
});
