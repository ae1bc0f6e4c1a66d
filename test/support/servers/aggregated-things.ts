/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll } from 'vitest';
import { type ApiUsers, startApiUsers } from '../api-users.ts';
import type { ExtensionBackend } from '../extension-backend.ts';
import {
  apiService,
  apiServicesPath,
  createFrontProxyFiles,
  type FrontProxyFiles,
  localService,
} from '../extension-backend.ts';

export const base = '/apis/agg.example.com/v1';

export const things = `${base}/namespaces/default/things`;

export let files: FrontProxyFiles;

export let users: ApiUsers;

export function startBeforeTests(): void {
  beforeAll(async () => {
    files = await createFrontProxyFiles();
    users = await startApiUsers({ alice: ['devs', 'qa'], bob: [] }, ['--authorization-mode=RBAC', ...files.flags], {
      fileCheckMs: 20,
    });
    await users.create('/api/v1/namespaces/default/services', localService);
    await users.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'things' },
      rules: [{ apiGroups: ['agg.example.com'], resources: ['things', 'things/portforward'], verbs: ['*'] }],
    });
    await users.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'things' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'things' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
    });
  });

  afterAll(async () => {
    await users[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });
}

export const condition = (answer: {
  body: { status?: { conditions?: { type: string; status: string; reason: string; message: string }[] } };
}) => answer.body.status?.conditions?.find(({ type }) => type === 'Available');

/** Puts a backend behind the APIService and waits until requests go there. */
export async function register(
  backend: ExtensionBackend,
  spec: Record<string, unknown> = { caBundle: files.caBundle },
): Promise<void> {
  await users.call('admin', 'DELETE', `${apiServicesPath}/v1.agg.example.com`);
  await users.create(apiServicesPath, apiService({ port: backend.port, spec }));
  await users.until(
    'admin',
    'GET',
    `${apiServicesPath}/v1.agg.example.com`,
    (answer) => condition(answer)?.status === 'True',
  );
  await users.until('admin', 'GET', base, ({ body }) => body !== 'service unavailable\n');
}
