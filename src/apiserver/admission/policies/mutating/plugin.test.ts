import { describe, expect, test } from 'vitest';
import type { Mutation } from '../../../../api/gen/types/admissionregistration-v1alpha1.ts';
import { createAdmissionChain, type AdmissionPlugin } from '../../../../registry/admission.ts';
import { attributesFor } from '../../testing/attributes.ts';
import { mutating, mutatingBinding, pluginOptions } from '../testing/policies.ts';
import { createMutatingPolicies } from './plugin.ts';

const applied = (expression: string): Mutation => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patched = (expression: string): Mutation => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const append = patched("[JSONPatch{op: 'add', path: '/data/list', value: object.data.list + 'x'}]");

type Policies = Parameters<typeof pluginOptions>[0]['policies'];

function chainOf(policies: Policies, others: readonly AdmissionPlugin[] = [], enabled = true) {
  const bindings = policies.map(({ metadata }) => mutatingBinding(metadata!.name));
  const plugin = createMutatingPolicies({ ...pluginOptions({ policies, bindings }), enabled });
  return createAdmissionChain([plugin, ...others]);
}

async function admitted(policies: Policies, others: readonly AdmissionPlugin[] = [], enabled = true): Promise<unknown> {
  const object = { metadata: { name: 'c', namespace: 'team' }, data: { list: '' } };
  await chainOf(policies, others, enabled).admit(attributesFor('configmaps', object));
  return object.data;
}

/** Adds something in its first round, as a webhook may. */
const other = (): AdmissionPlugin => ({
  name: 'other',
  handles: () => true,
  admit: ({ object }, round) => {
    if (round!.isSecond) return;
    (object as { data?: Record<string, string> }).data!['other'] = 'x';
    round!.again();
  },
});

describe('mutating policies', () => {
  test('Change the object in the order of their names, and each sees what those before it made', async () => {
    const mutation = (name: string) => applied(`Object{data: {'list': object.data.list + '${name}'}}`);
    expect(
      await admitted([
        mutating({ mutations: [mutation('q'), mutation('r')] }, 'q'),
        mutating({ mutations: [mutation('p')] }),
      ]),
    ).toEqual({ list: 'pqr' });
  });

  test.each<['Never' | 'IfNeeded', string]>([
    ['Never', 'x'],
    ['IfNeeded', 'xx'],
  ])(
    'With the reinvocation policy %s leave %s when others change the object after them',
    async (reinvocationPolicy, list) =>
      expect(await admitted([mutating({ mutations: [append], reinvocationPolicy })], [other()])).toEqual({
        list,
        other: 'x',
      }),
  );

  test('Mutating policies do nothing while their gate is off', async () =>
    expect(await admitted([mutating({ mutations: [append] })], [], false)).toEqual({ list: '' }));

  test('Mutating policies that fail refuse the request, each with a cause', async () => {
    const bad = applied("Object{data: {'x': object.data.none}}");
    const why = "expression 'Object{data: {'x': object.data.none}}' resulted in error: no such key: none";
    const message = (name: string): string => `policy '${name}' with binding 'b' denied request: ${why}`;
    await expect(admitted([mutating({ mutations: [bad] }), mutating({ mutations: [bad] }, 'q')])).rejects.toMatchObject(
      {
        code: 403,
        reason: 'Invalid',
        message: message('p'),
        details: { name: 'c', kind: 'configmaps', causes: [{ message: message('p') }, { message: message('q') }] },
      },
    );
  });

  test('Mutating policies that fail are passed over by their policy, and the others change the object', async () => {
    const bad = applied("Object{data: {'x': object.data.none}}");
    const policies = [
      mutating({ mutations: [bad, append], failurePolicy: 'Ignore' }),
      mutating({ mutations: [append] }, 'q'),
    ];
    expect(await admitted(policies)).toEqual({ list: 'xx' });
  });

  test('Use variables, which are evaluated anew for each mutation', async () => {
    const use = patched("[JSONPatch{op: 'add', path: '/data/list', value: variables.next}]");
    const variables = [{ name: 'next', expression: "object.data.list + 'y'" }];
    expect(await admitted([mutating({ variables, mutations: [use, use] })])).toEqual({ list: 'yy' });
  });

  test('Mutating policies whose expressions are none refuse the request', async () =>
    await expect(admitted([mutating({ mutations: [applied('nonsense')] })])).rejects.toThrow(
      "denied request: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nonsense'",
    ));
});
