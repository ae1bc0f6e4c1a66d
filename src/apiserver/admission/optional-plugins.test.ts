import { describe, expect, it } from 'vitest';
import type { Service } from '../../api/gen/types/core-v1.ts';
import type { Authorizer, AuthorizationAttributes } from '../../auth/authorization/authorizer.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { forbidden } from '../../machinery/status.ts';
import { alwaysAdmit, alwaysDeny } from './always-plugins.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { createNamespaceAutoProvision, createNamespaceExists } from './namespace-exists.ts';
import { createOwnerReferencesPermission } from './owner-references-permission.ts';
import { createPriority } from './priority.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const named = (name: string): KubeObject => ({ metadata: { name } });

describe('AlwaysAdmit and AlwaysDeny', () => {
  it('The plugin AlwaysAdmit has nothing to say in either phase', () => {
    expect([alwaysAdmit.admit, alwaysAdmit.validate]).toEqual([undefined, undefined]);
  });

  it.each(['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const)('AlwaysDeny refuses %s', (operation) => {
    expect(alwaysDeny.handles(operation)).toBe(true);
    const attributes = attributesFor('configmaps', named('a'), { operation });
    expect(() => alwaysDeny.admit!(attributes)).toThrow(
      'configmaps "a" is forbidden: admission control is denying all modifications',
    );
  });
});

describe('DenyServiceExternalIPs', () => {
  const service = (...externalIPs: string[]): Service =>
    ({ metadata: { name: 's' }, spec: { externalIPs } }) as Service;
  const attributes = (object: Service, oldObject?: Service) =>
    attributesFor('services', object, {
      kind: { group: '', version: 'v1', kind: 'Service' },
      ...(oldObject === undefined ? {} : { operation: 'UPDATE' as const, oldObject }),
    });

  it.each([
    { name: 'a new service with one', given: attributes(service('1.2.3.4')) },
    { name: 'another one', given: attributes(service('1.2.3.4', '1.2.3.5'), service('1.2.3.4')) },
  ])('DenyServiceExternalIPs refuses $name', ({ given }) => {
    expect(() => denyServiceExternalIps.validate!(given)).toThrow(
      'services "s" is forbidden: Use of external IPs is denied by admission control',
    );
  });

  it.each([
    { name: 'a service without', given: attributes(service()) },
    { name: 'those that a service has', given: attributes(service('1.2.3.4'), service('1.2.3.5', '1.2.3.4')) },
  ])('DenyServiceExternalIPs admits $name', ({ given }) => {
    expect(denyServiceExternalIps.validate!(given)).toBeUndefined();
  });
});

describe('namespaces that are absent', () => {
  const objects = objectsOf({}, { '/namespaces': [named('team')] });

  it('NamespaceExists reads a namespace anew before it refuses', async () => {
    const plugin = createNamespaceExists({ objects });
    await plugin.validate!(attributesFor('configmaps', named('a')));
    await expect(
      plugin.validate!(attributesFor('configmaps', named('a'), { namespace: 'other' })),
    ).rejects.toMatchObject({ code: 404, message: 'namespaces "other" not found' });
  });

  it.each([
    { name: 'a namespace itself', attributes: attributesFor('namespaces', named('new'), { namespace: 'new' }) },
    { name: 'what lies in no namespace', attributes: attributesFor('nodes', named('n')) },
  ])('NamespaceExists does not look at $name', async ({ attributes }) => {
    await expect(createNamespaceExists({ objects: objectsOf({}) }).validate!(attributes)).resolves.toBeUndefined();
  });

  const provision = (createNamespace: (name: string) => Promise<void>) =>
    createNamespaceAutoProvision({ objects: objectsOf({ '/namespaces': [named('team')] }), createNamespace });

  it.each([
    { name: 'one that is absent', more: { namespace: 'new' }, created: ['new'] },
    { name: 'none that is there', more: {}, created: [] },
    { name: 'none in a dry run', more: { namespace: 'new', dryRun: true }, created: [] },
    { name: 'none for what has none', more: { namespace: '' }, created: [] },
  ])('NamespaceAutoProvision creates $name', async ({ more, created }) => {
    const names: string[] = [];
    const plugin = provision(async (name) => void names.push(name));
    await plugin.admit!(attributesFor('configmaps', named('a'), more));
    expect(names).toEqual(created);
  });

  it('NamespaceAutoProvision refuses what cannot have its namespace', async () => {
    const plugin = provision(() =>
      Promise.reject(forbidden({ group: '', resource: 'namespaces' }, 'new', 'it is full')),
    );
    await expect(plugin.admit!(attributesFor('configmaps', named('a'), { namespace: 'new' }))).rejects.toThrow(
      'configmaps "a" is forbidden: namespaces "new" is forbidden: it is full',
    );
  });
});

describe('OwnerReferencesPermissionEnforcement', () => {
  const owner = (more: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'o',
    uid: 'u',
    ...more,
  });
  const owned = (...ownerReferences: OwnerReference[]): KubeObject => ({ metadata: { name: 'a', ownerReferences } });
  const asked = (allowed: readonly string[]): { readonly authorizer: Authorizer; readonly questions: string[] } => {
    const questions: string[] = [];
    const authorize = ({ verb, resource, subresource, name, namespace }: AuthorizationAttributes) => {
      questions.push(`${verb} ${[resource, subresource].filter((part) => part !== '').join('/')} ${namespace}/${name}`);
      return { decision: allowed.includes(verb) ? ('allow' as const) : ('noOpinion' as const), reason: '' };
    };
    return { authorizer: { authorize }, questions };
  };
  const resourcesOf = async (apiVersion: string, kind: string) =>
    kind === 'Nonsense'
      ? []
      : [{ group: '', version: apiVersion, resource: `${kind.toLowerCase()}s`, namespaced: kind !== 'Node' }];
  const update = (object: KubeObject, oldObject: KubeObject, subresource = '') =>
    attributesFor('configmaps', object, { operation: 'UPDATE', oldObject, subresource });
  const blocking = owner({ blockOwnerDeletion: true });

  it.each([
    { name: 'a new object with an owner', attributes: attributesFor('configmaps', owned(owner())), questions: [] },
    {
      name: 'a new object that blocks its owner',
      attributes: attributesFor('configmaps', owned(blocking)),
      questions: ['update configmaps/finalizers team/o'],
    },
    {
      name: 'an object that blocks a node',
      attributes: attributesFor('configmaps', owned({ ...blocking, kind: 'Node' })),
      questions: ['update nodes/finalizers /o'],
    },
    { name: 'owners that stay', attributes: update(owned(blocking), owned(blocking)), questions: [] },
    { name: 'other owners', attributes: update(owned(owner()), owned()), questions: ['delete configmaps team/a'] },
    {
      name: 'an owner that is blocked from now on',
      attributes: update(owned(blocking), owned(owner())),
      questions: ['delete configmaps team/a', 'update configmaps/finalizers team/o'],
    },
    {
      name: 'another owner beside one that was blocked before',
      attributes: update(owned(blocking, owner({ uid: 'v' })), owned(blocking)),
      questions: ['delete configmaps team/a'],
    },
  ])('OwnerReferencesPermissionEnforcement asks the authorizer about $name', async ({ attributes, questions }) => {
    const { authorizer, questions: got } = asked(['delete', 'update']);
    await createOwnerReferencesPermission({ authorizer, resourcesOf }).validate!(attributes);
    expect(got).toEqual(questions);
  });

  it.each([
    {
      name: 'the right to delete',
      attributes: update(owned(owner()), owned()),
      message: `configmaps "a" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
    },
    {
      name: 'the right to set finalizers of the owner',
      attributes: attributesFor('configmaps', owned(blocking)),
      message:
        'configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource ' +
        `you can't set finalizers on: , <nil>`,
    },
    {
      name: 'an owner of a kind that is served',
      attributes: attributesFor('configmaps', owned({ ...blocking, apiVersion: 'x.io/v1', kind: 'Nonsense' })),
      message:
        'configmaps "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for ' +
        'APIVersion x.io/v1 Kind Nonsense: no matches for kind "Nonsense" in version "x.io/v1"',
    },
  ])('OwnerReferencesPermissionEnforcement refuses a write without $name', async ({ attributes, message }) => {
    const { authorizer } = asked([]);
    const plugin = createOwnerReferencesPermission({ authorizer, resourcesOf });
    await expect(plugin.validate!(attributes)).rejects.toMatchObject({ code: 403, message });
  });

  it('OwnerReferencesPermissionEnforcement does not look at the status of pods, which cannot change owners', () => {
    const { authorizer } = asked([]);
    const attributes = attributesFor('pods', owned(owner()), { operation: 'UPDATE', subresource: 'status' });
    const plugin = createOwnerReferencesPermission({ authorizer, resourcesOf });
    expect(plugin.validate!({ ...attributes, oldObject: owned() })).toBeUndefined();
  });
});

describe('Priority', () => {
  const deletion = (name: string) =>
    attributesFor('priorityclasses', undefined, {
      operation: 'DELETE',
      resource: { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
      namespace: '',
      name,
    });
  const plugin = createPriority({ objects: objectsOf({}) });

  it.each(['system-node-critical', 'system-cluster-critical'])('Priority refuses to delete class %s', (name) => {
    expect(() => plugin.validate!(deletion(name))).toThrow(
      `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
    );
  });

  it('Admits the deletion of other classes', () => {
    expect(plugin.validate!(deletion('high'))).toBeUndefined();
  });
});
