import { expect, test } from 'vitest';
import { controllerNames, findController, isControllerEnabled } from './controller-names.ts';

const [deployment, bootstrapSigner] = [
  findController('deployment-controller')!,
  findController('bootstrap-signer-controller')!,
];

test.each([
  { name: 'a star, on by default', controller: deployment, selection: ['*'], expected: true },
  { name: 'a star, off by default', controller: bootstrapSigner, selection: ['*'], expected: false },
  {
    name: 'a star and its name',
    controller: bootstrapSigner,
    selection: ['*', 'bootstrap-signer-controller'],
    expected: true,
  },
  { name: 'a star and its alias', controller: bootstrapSigner, selection: ['*', 'bootstrapsigner'], expected: true },
  { name: 'its name alone', controller: deployment, selection: ['deployment-controller'], expected: true },
  { name: 'the name of another alone', controller: deployment, selection: ['job'], expected: false },
  {
    name: 'a star, and a minus before its name',
    controller: deployment,
    selection: ['*', '-deployment'],
    expected: false,
  },
  { name: 'its name, then a minus', controller: deployment, selection: ['deployment', '-deployment'], expected: true },
  { name: 'a minus, then its name', controller: deployment, selection: ['-deployment', 'deployment'], expected: false },
  { name: 'nothing', controller: deployment, selection: [], expected: false },
  { name: 'a minus before another, and no star', controller: deployment, selection: ['-job'], expected: false },
])('--controllers asks for a controller: $name', ({ controller, selection, expected }) => {
  expect(isControllerEnabled(controller, selection)).toBe(expected);
});

test('Every name and alias is that of one controller', () => {
  const names = controllerNames.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  expect(controllerNames).toHaveLength(48);
});
