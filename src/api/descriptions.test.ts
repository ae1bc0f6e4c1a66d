import { describe, expect, test } from 'vitest';
import { descriptionOf } from './descriptions.ts';
import { schemas } from './schemas.ts';

describe('descriptions', () => {
  test.each(schemas.packages.map(({ name }) => name))('Descriptions of every type and member of %s', (name) => {
    const missing = schemas.typesOf(name).flatMap((type) => {
      const id = `${name}.${type}`;
      const { text, fields } = descriptionOf(id);
      const members = schemas.type(id).fields.filter(({ json }) => json !== '' && json !== '-');
      return [
        ...(text === '' ? [id] : []),
        ...members.filter(({ json }) => !fields[json]).map(({ json }) => `${id}.${json}`),
      ];
    });
    expect(missing).toEqual([]);
  });

  test('Descriptions join the lines of a comment', () => {
    expect(descriptionOf('meta/v1.LabelSelector').text).toBe(
      'Picks objects by their labels; all requirements must hold. An empty selector picks everything, an ' +
        'absent one nothing.',
    );
  });

  test('Descriptions say the same of metadata everywhere, unless a type says otherwise', () => {
    expect(descriptionOf('core/v1.Pod').fields['metadata']).toBe(
      descriptionOf('apps/v1.Deployment').fields['metadata'],
    );
    expect(descriptionOf('core/v1.PodTemplateSpec').fields['metadata']).toBe('Labels and annotations of the pods.');
  });

  test('Descriptions are empty for a type that does not exist', () => {
    expect(descriptionOf('core/v1.Nothing')).toEqual({ text: '', fields: {} });
  });
});
