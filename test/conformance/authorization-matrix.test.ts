/**
 * Every role of a reference kube-apiserver against every resource and verb, and every path that roles name: its
 * SubjectAccessReviews and our decisions about the same roles and bindings must be equal.
 *
 * `ORCH_REFERENCE` is its URL, `ORCH_REFERENCE_TOKEN` the token of an administrator there.
 */
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../src/api/gen/types/rbac-v1.ts';
import { groupVersions } from '../../src/api/resources.ts';
import type { AuthorizationAttributes } from '../../src/auth/authorization/authorizer.ts';
import { decide } from '../../src/apiserver/authz/rbac/authorizer.ts';
import { RbacPolicy } from '../../src/apiserver/authz/rbac/policy.ts';
import { bootstrapPolicy } from '../../src/apiserver/authz/rbac/bootstrap-policy/policy.ts';

const url = process.env['ORCH_REFERENCE'];
const agent = new Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false });
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const verbs = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'impersonate',
  'bind',
];
const paths = [
  '/',
  '/healthz',
  '/healthz/etcd',
  '/livez',
  '/readyz/ping',
  '/version',
  '/version/',
  '/api',
  '/api/v1',
  '/apis/apps',
  '/openapi/v2',
  '/metrics',
  '/logs',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
];

const things = [
  ...new Map(
    groupVersions
      .flatMap(({ resources }) =>
        resources.flatMap((resource) => [
          { group: resource.group, resource: resource.name, subresource: '', namespaced: resource.namespaced },
          ...resource.subresources.map(({ name }) => ({
            group: resource.group,
            resource: resource.name,
            subresource: name,
            namespaced: resource.namespaced,
          })),
        ]),
      )
      .map((thing) => [`${thing.group}/${thing.resource}/${thing.subresource}`, thing]),
  ).values(),
];

function ask<T>(method: string, path: string, body?: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${process.env['ORCH_REFERENCE_TOKEN'] ?? 'admintoken'}`,
          'content-type': 'application/json',
        },
      },
      (response) => {
        response
          .toArray()
          .then((chunks) => resolve(JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as T), reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const listOf = async <T>(resource: string): Promise<T[]> =>
  (await ask<{ items: T[] }>('GET', `${rbac}/${resource}`)).items;
const names = new Set(bootstrapPolicy(() => false).clusterRoles.map(({ metadata }) => metadata.name));
const userOf = (role: string): string => `matrix:${role}`;

describe.skipIf(url === undefined)(
  'decisions and those of a reference server (skipped where ORCH_REFERENCE names none)',
  () => {
    const policy = new RbacPolicy();
    let roles: string[] = [];

    beforeAll(async () => {
      roles = (await listOf<ClusterRole>('clusterroles'))
        .map(({ metadata }) => metadata.name!)
        .filter((name) => names.has(name));
      await Promise.all(
        roles.map((name) =>
          ask('POST', `${rbac}/clusterrolebindings`, {
            metadata: { name: userOf(name) },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
            subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: userOf(name) }],
          }),
        ),
      );
      for (const role of [...(await listOf<ClusterRole>('clusterroles')), ...(await listOf<Role>('roles'))])
        policy.changeRole(undefined, role);
      for (const binding of [
        ...(await listOf<ClusterRoleBinding>('clusterrolebindings')),
        ...(await listOf<RoleBinding>('rolebindings')),
      ])
        policy.changeBinding(undefined, binding);
      // The reference sees changes of its bindings with a delay.
      for (const name of roles) await settled(name);
    });
    afterAll(async () => {
      await Promise.all(roles.map((name) => ask('DELETE', `${rbac}/clusterrolebindings/${userOf(name)}`)));
      agent.destroy();
    });

    async function settled(name: string): Promise<void> {
      const status = (await ask<{ status: { rules?: object[] } }>(
        'GET',
        `${rbac}/clusterroles/${name}`,
      )) as unknown as ClusterRole;
      const rule = (status.rules ?? []).find(
        ({ resources = [], resourceNames = [] }) => resources.length > 0 && resourceNames.length === 0,
      );
      if (rule === undefined) return;
      const [resource = '', subresource = ''] = rule.resources![0]!.split('/');
      const attributes = {
        user: { name: userOf(name), groups: [] },
        verb: rule.verbs![0]!,
        group: rule.apiGroups![0]!,
        version: '*',
        namespace: '',
        resource,
        subresource,
        name: '',
        path: '',
        isResourceRequest: true,
      };
      while (!(await theirs(attributes))) await new Promise((resolve) => setImmediate(resolve));
    }

    async function theirs({
      user,
      verb,
      group,
      resource,
      subresource,
      namespace,
      name,
      path,
      isResourceRequest,
    }: AuthorizationAttributes): Promise<boolean> {
      const about = isResourceRequest
        ? { resourceAttributes: { verb, group, resource, subresource, namespace, name } }
        : { nonResourceAttributes: { path, verb } };
      const { status } = await ask<{ status: { allowed?: boolean } }>(
        'POST',
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        { spec: { user: user.name, ...about } },
      );
      return status.allowed === true;
    }

    const ours = (attributes: AuthorizationAttributes): boolean => decide(policy, attributes).decision === 'allow';
    const told = ({ verb, group, resource, subresource, namespace, name, path }: AuthorizationAttributes): string =>
      `${verb} ${path}${group}/${resource}/${subresource} ${namespace} ${name}`;

    /** Where the two say different things. */
    async function differences(questions: readonly AuthorizationAttributes[]): Promise<string[]> {
      const answers = await Promise.all(
        questions.map(async (question) => ({ question, theirs: await theirs(question), ours: ours(question) })),
      );
      return answers
        .filter((answer) => answer.theirs !== answer.ours)
        .map((answer) => `${told(answer.question)}: theirs ${answer.theirs}, ours ${answer.ours}`);
    }

    test('The default roles of the reference are here too', () => {
      expect(roles.length).toBeGreaterThan(50);
    });

    test('Decisions about resources are those of the reference', async () => {
      let asked = 0;
      for (const role of roles) {
        const user = { name: userOf(role), groups: [] };
        const questions = things.flatMap((thing) =>
          verbs.map(
            (verb): AuthorizationAttributes => ({
              ...thing,
              user,
              verb,
              version: '*',
              namespace: thing.namespaced ? 'team' : '',
              name: 'x',
              path: '',
              isResourceRequest: true,
            }),
          ),
        );
        asked += questions.length;
        expect(await differences(questions), role).toEqual([]);
      }
      expect(asked).toBe(roles.length * things.length * verbs.length);
    }, 600_000);

    test('Decisions about objects that roles name are those of the reference', async () => {
      for (const role of roles) {
        const { rules } = await ask<{ rules: ClusterRole['rules'] | null }>('GET', `${rbac}/clusterroles/${role}`);
        const questions = (rules ?? []).flatMap(({ resourceNames = [], resources = [], apiGroups = [] }) =>
          resourceNames.flatMap((name) =>
            verbs.map((verb): AuthorizationAttributes => {
              const [resource = '', subresource = ''] = resources[0]!.split('/');
              return {
                user: { name: userOf(role), groups: [] },
                verb,
                group: apiGroups[0]!,
                version: '*',
                namespace: '',
                resource,
                subresource,
                name,
                path: '',
                isResourceRequest: true,
              };
            }),
          ),
        );
        expect(await differences(questions), role).toEqual([]);
      }
    }, 60_000);

    test('Decisions about non-resource paths are those of the reference', async () => {
      for (const role of roles) {
        const questions = paths.flatMap((path) =>
          ['get', 'post'].map(
            (verb): AuthorizationAttributes => ({
              user: { name: userOf(role), groups: [] },
              verb,
              group: '',
              version: '',
              namespace: '',
              resource: '',
              subresource: '',
              name: '',
              path,
              isResourceRequest: false,
            }),
          ),
        );
        expect(await differences(questions), role).toEqual([]);
      }
    }, 60_000);
  },
);
