import { expect, test } from 'vitest';
import { KindRules } from '../../../../test/support/kind-rules.ts';

const classes = new KindRules('node.k8s.io/v1', 'runtimeclasses');
const a = { key: 'a', operator: 'Exists' };

test.each([
  {
    name: 'differ in their seconds',
    tolerations: [
      { ...a, effect: 'NoExecute' },
      { ...a, effect: 'NoExecute', tolerationSeconds: 5 },
    ],
    errors: [],
  },
  {
    name: 'are the same',
    tolerations: [a, { key: 'b', operator: 'Exists' }, a],
    errors: [expect.stringMatching(/^scheduling\.tolerations\[2\]: Duplicate value: core\.Toleration\{/)],
  },
])('Tolerations of a runtime class that $name', ({ tolerations, errors }) => {
  expect(classes.create({ metadata: { name: 'x' }, handler: 'h', scheduling: { tolerations } }).errors).toEqual(errors);
});

test('The overhead of a runtime class is told as the limits of something called overhead', () => {
  const { errors } = classes.create({ metadata: { name: 'x' }, handler: 'h', overhead: { podFixed: { cpu: '-1' } } });
  expect(errors).toEqual(['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0']);
});
