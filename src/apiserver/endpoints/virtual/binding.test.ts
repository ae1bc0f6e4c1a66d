import { describe, expect, test } from 'vitest';
import { type Answer, type Json, startEndpoints } from '../testing/endpoints-server.ts';

const pods = '/api/v1/namespaces/x/pods';
const pod = (spec: Json = {}): Json => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const binding = (more: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'p', ...metadata },
  target: { kind: 'Node', name: 'n' },
  ...more,
});

interface Row {
  readonly name: string;
  readonly pod?: Json;
  readonly query?: string;
  readonly binding: Json;
  readonly answer: Partial<Answer>;
  /** The node of the pod afterwards. */
  readonly node?: string;
}

describe('a binding', () => {
  test.each<Row>([
    {
      name: 'gives the pod its node',
      binding: binding(),
      answer: { status: 201, body: { kind: 'Status', status: 'Success', code: 201 } },
      node: 'n',
    },
    { name: 'changes nothing in a dry run', query: '?dryRun=All', binding: binding(), answer: { status: 201 } },
    {
      name: 'is refused for a pod that has a node',
      pod: pod({ nodeName: 'other' }),
      binding: binding(),
      answer: {
        status: 409,
        reason: 'Conflict',
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "other"',
      },
      node: 'other',
    },
    {
      name: 'is refused for another pod of the name',
      binding: binding({}, { uid: 'other' }),
      answer: { status: 409, message: expect.stringContaining('UID in precondition: other') as string },
    },
    {
      name: 'is refused without a node',
      binding: binding({ target: { kind: 'Node' } }),
      answer: { status: 500, message: 'target.name: Required value' },
    },
    {
      name: 'is refused for a target that is no node',
      binding: binding({ target: { kind: 'Pod', name: 'n' } }),
      answer: { status: 500, message: expect.stringContaining('target.kind: Unsupported value: "Pod"') as string },
    },
  ])('A binding: $name', async ({ pod: given = pod(), query = '', binding: body, answer, node }) => {
    const server = await startEndpoints();
    await server.done('POST', pods, given);
    expect(await server.send('POST', `${pods}/p/binding${query}`, body)).toMatchObject(answer);
    expect(((await server.done('GET', `${pods}/p`))['spec'] as Json)['nodeName']).toBe(node);
  });

  test('A binding of a pod that is not there is answered 404', async () => {
    const server = await startEndpoints();
    expect(await server.send('POST', `${pods}/p/binding`, binding())).toMatchObject({ status: 404 });
  });
});
