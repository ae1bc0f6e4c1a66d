import { describe, expect, it } from 'vitest';
import type { Namespace } from '../../api/gen/types/core-v1.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const now = (): Date => new Date('2026-01-01T00:00:00Z');
const namespace = (phase: string): Namespace => ({ metadata: { name: 'team' }, status: { phase } }) as Namespace;
const configMap = { metadata: { name: 'a', namespace: 'team' } };

describe('NamespaceLifecycle', () => {
  it.each([
    { name: 'a namespace that is there', cached: ['Active'], fresh: ['Active'] },
    { name: 'a namespace that the cache does not know yet', cached: [], fresh: ['Active'] },
    { name: 'a namespace that only the cache still sees going', cached: ['Terminating'], fresh: ['Active'] },
  ])('Admits what is created in $name', async ({ cached, fresh }) => {
    const plugin = createNamespaceLifecycle({
      objects: objectsOf({ '/namespaces': cached.map(namespace) }, { '/namespaces': fresh.map(namespace) }),
      now,
    });
    await expect(plugin.admit!(attributesFor('configmaps', configMap))).resolves.toBeUndefined();
  });

  it('NamespaceLifecycle answers 404 about the namespace when that is absent', async () => {
    const plugin = createNamespaceLifecycle({ objects: objectsOf({}), now });
    await expect(plugin.admit!(attributesFor('configmaps', configMap))).rejects.toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "team" not found',
    });
  });

  it('NamespaceLifecycle refuses new content in a namespace on its way out, with the cause', async () => {
    const plugin = createNamespaceLifecycle({ objects: objectsOf({ '/namespaces': [namespace('Terminating')] }), now });
    await expect(plugin.admit!(attributesFor('configmaps', configMap))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: {
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace team is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  it('NamespaceLifecycle lets what is there change and go', async () => {
    const plugin = createNamespaceLifecycle({ objects: objectsOf({ '/namespaces': [namespace('Terminating')] }), now });
    await expect(
      plugin.admit!(attributesFor('configmaps', configMap, { operation: 'UPDATE' })),
    ).resolves.toBeUndefined();
    expect(plugin.admit!(attributesFor('configmaps', undefined, { operation: 'DELETE' }))).toBeUndefined();
  });

  it('NamespaceLifecycle keeps the namespaces that everything relies on', () => {
    const plugin = createNamespaceLifecycle({ objects: objectsOf({}), now });
    expect(() =>
      plugin.admit!(attributesFor('namespaces', undefined, { operation: 'DELETE', name: 'kube-system' })),
    ).toThrow('namespaces "kube-system" is forbidden: this namespace may not be deleted');
  });

  it('NamespaceLifecycle does not believe the cache about a namespace that was just deleted here', async () => {
    const plugin = createNamespaceLifecycle({
      objects: objectsOf({ '/namespaces': [namespace('Active')] }, { '/namespaces': [namespace('Terminating')] }),
      now,
    });
    await plugin.admit!(attributesFor('namespaces', undefined, { operation: 'DELETE', name: 'team' }));
    await expect(plugin.admit!(attributesFor('configmaps', configMap))).rejects.toMatchObject({ code: 403 });
  });
});
