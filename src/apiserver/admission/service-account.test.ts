import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createServiceAccount } from './service-account.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const account = (more: object = {}) => ({ metadata: { name: 'default', namespace: 'team' }, ...more }) as KubeObject;
const pod = (spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { name: 'p', namespace: 'team', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  }) as KubeObject;

async function admitted(object: KubeObject, accounts: KubeObject[] = [account()]): Promise<Record<string, unknown>> {
  const plugin = createServiceAccount({ objects: objectsOf({ '/serviceaccounts': accounts }) });
  const attributes = attributesFor('pods', object);
  await plugin.admit!(attributes);
  await plugin.validate!(attributes);
  return (object as unknown as { spec: Record<string, unknown> }).spec;
}

describe('the ServiceAccount admission plugin', () => {
  test('The ServiceAccount admission plugin gives each container the default account and its token', async () => {
    const spec = await admitted(pod({ initContainers: [{ name: 'i' }] }));
    const [{ name }] = spec['volumes'] as [{ name: string }];
    const mount = { name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    expect(name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec).toEqual({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [{ name: 'c', volumeMounts: [mount] }],
      initContainers: [{ name: 'i', volumeMounts: [mount] }],
      volumes: [
        {
          name,
          projected: {
            defaultMode: 420,
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
              {
                downwardAPI: {
                  items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  test.each([
    { name: 'the pod does not want it', spec: { automountServiceAccountToken: false }, more: {} },
    { name: 'the account does not want it', spec: {}, more: { automountServiceAccountToken: false } },
    {
      name: 'something else is mounted there',
      spec: {
        containers: [
          { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
        ],
      },
      more: {},
    },
  ])('Mounts no token when $name', async ({ spec, more }) => {
    expect((await admitted(pod(spec), [account(more)]))['volumes']).toBeUndefined();
  });

  test('The ServiceAccount admission plugin gives the secrets for pulling images to a pod without any', async () => {
    const accounts = [account({ imagePullSecrets: [{ name: 'pull' }] })];
    expect((await admitted(pod(), accounts))['imagePullSecrets']).toEqual([{ name: 'pull' }]);
    expect((await admitted(pod({ imagePullSecrets: [{ name: 'own' }] }), accounts))['imagePullSecrets']).toEqual([
      { name: 'own' },
    ]);
  });

  const enforcing = account({
    metadata: {
      name: 'default',
      namespace: 'team',
      annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    },
    secrets: [{ name: 'good' }],
  });
  const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
  test.each([
    {
      object: pod({ serviceAccountName: 'none' }),
      accounts: [account()],
      why: 'error looking up service account team/none: serviceaccount "none" not found',
    },
    {
      object: pod({ serviceAccountName: 'default' }, mirror),
      accounts: [account()],
      why: 'a mirror pod may not reference service accounts',
    },
    {
      object: pod({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }, mirror),
      accounts: [account()],
      why: 'a mirror pod may not reference secrets',
    },
    {
      object: pod(
        { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'x' } }] } }] },
        mirror,
      ),
      accounts: [account()],
      why: 'a mirror pod may not use ServiceAccountToken volume projections',
    },
    {
      object: pod({ volumes: [{ name: 'v', secret: { secretName: 'bad' } }] }),
      accounts: [enforcing],
      why:
        'volume with secret.secretName="bad" is not allowed because service account default does not ' +
        'reference that secret',
    },
    {
      object: pod({
        containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'bad', key: 'k' } } }] }],
      }),
      accounts: [enforcing],
      why:
        'container c with envVar E referencing secret.secretName="bad" is not allowed because service account ' +
        'default does not reference that secret',
    },
    {
      object: pod({ imagePullSecrets: [{ name: 'bad' }] }),
      accounts: [enforcing],
      why:
        'imagePullSecrets[0].name="bad" is not allowed because service account default does not reference ' +
        'that imagePullSecret',
    },
  ])('The ServiceAccount admission plugin refuses: $why', async ({ object, accounts, why }) => {
    await expect(admitted(structuredClone(object), accounts)).rejects.toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: ${why}`,
    });
  });

  test('The ServiceAccount admission plugin lets through what an account lists, and bare mirror pods', async () => {
    await admitted(pod({ volumes: [{ name: 'v', secret: { secretName: 'good' } }] }), [enforcing]);
    expect(await admitted(pod({}, mirror))).toEqual({ containers: [{ name: 'c' }] });
  });
});
