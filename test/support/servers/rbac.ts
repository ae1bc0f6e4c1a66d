/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll } from 'vitest';
import { type Answer, type ApiUsers, startApiUsers } from '../api-users.ts';

export const rbac = '/apis/rbac.authorization.k8s.io/v1';

export const isAllowed = ({ status }: Answer): boolean => status < 400;

export const clusterRole = (name: string, rules: object[]): object => ({ metadata: { name }, rules });

export const clusterBinding = (name: string, role: string, user: string): object => ({
  metadata: { name },
  roleRef: { kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'User', name: user }],
});

export const binding = (name: string, role: string, user: string): object => ({
  ...clusterBinding(name, role, user),
  roleRef: { kind: 'Role', name: role },
});

export let api: ApiUsers;

export function startBeforeTests(): void {
  beforeAll(async () => {
    api = await startApiUsers(
      { alice: ['devs'], bob: [], carol: [], dave: [], erin: [], frank: [], grace: [], heidi: [] },
      ['--authorization-mode=RBAC'],
    );
  });

  afterAll(() => api[Symbol.asyncDispose]());
}

export const grant = async (user: string, rules: object[]): Promise<void> => {
  await api.create(`${rbac}/clusterroles`, clusterRole(`of-${user}`, rules));
  await api.create(`${rbac}/clusterrolebindings`, clusterBinding(`of-${user}`, `of-${user}`, user));
};
