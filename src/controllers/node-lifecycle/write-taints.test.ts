import { describe, expect, test } from 'vitest';
import type { Node, Taint } from '../../api/gen/types/core-v1.ts';
import { ApiError } from '../../client/api-error.ts';
import { type NodeTaints, writeTaints } from './write-taints.ts';

const added: Taint = { key: 'added', effect: 'NoExecute' };
const others: Taint = { key: 'of-another-writer', effect: 'NoSchedule' };

const nodeOf = (resourceVersion: string, taints: Taint[], uid = 'u'): Node =>
  ({ metadata: { name: 'n', uid, resourceVersion }, spec: { taints } }) as unknown as Node;

const withAdded = ({ spec }: Node): Taint[] => [...(spec.taints ?? []), added];

/** A node that the server has, which may be gone. */
function serve(stored: Node | undefined) {
  const written: unknown[] = [];
  const nodes: NodeTaints = {
    read: () =>
      stored === undefined ? Promise.reject(new ApiError(404, 'NotFound', 'gone')) : Promise.resolve(stored),
    write(_name, resourceVersion, taints) {
      if (stored === undefined) return Promise.reject(new ApiError(404, 'NotFound', 'gone'));
      if (resourceVersion !== stored.metadata.resourceVersion)
        return Promise.reject(new ApiError(409, 'Conflict', 'the object has been modified'));
      written.push(taints);
      return Promise.resolve();
    },
  };
  return { nodes, written };
}

describe('Taints of a node', () => {
  test('Taints are written with the version of the node', async () => {
    const { nodes, written } = serve(nodeOf('1', []));
    await writeTaints(nodes, nodeOf('1', []), withAdded);
    expect(written).toEqual([[added]]);
  });

  test('Where another writer came first, the taints that it wrote stay, and no turn is lost', async () => {
    const { nodes, written } = serve(nodeOf('2', [others]));
    await writeTaints(nodes, nodeOf('1', []), withAdded);
    expect(written).toEqual([[others, added]]);
  });

  test('The last taint is removed with null', async () => {
    const { nodes, written } = serve(nodeOf('1', [added]));
    await writeTaints(nodes, nodeOf('1', [added]), () => []);
    expect(written).toEqual([null]);
  });

  test.each([
    { name: 'that has its taints', stored: nodeOf('1', []), taintsOf: () => undefined },
    { name: 'that is gone', stored: undefined, taintsOf: withAdded },
    { name: 'that was replaced by one of its name', stored: nodeOf('2', [], 'another'), taintsOf: withAdded },
  ])('Nothing is written to a node $name', async ({ stored, taintsOf }) => {
    const { nodes, written } = serve(stored);
    await writeTaints(nodes, nodeOf('1', []), taintsOf);
    expect(written).toEqual([]);
  });

  test('A node that changes again and again is left to the next look, with the error', async () => {
    const { nodes, written } = serve(nodeOf('2', []));
    const changing = { ...nodes, read: () => Promise.resolve(nodeOf('1', [])) };
    await expect(writeTaints(changing, nodeOf('1', []), withAdded)).rejects.toMatchObject({ code: 409 });
    expect(written).toEqual([]);
  });
});
