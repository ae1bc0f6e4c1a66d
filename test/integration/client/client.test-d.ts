/** What the types of a client allow; checked by the compiler. */
import type { Client } from '../../../src/client/index.ts';

declare const client: Client;
const pods = client.core.v1.pods.namespace('default');

export const phase: string | undefined = (await pods.get('web')).status.phase;
export const replicas: number | undefined = (await client.apps.v1.deployments.namespace('a').scale.get('web')).spec
  .replicas;
await client.core.v1.configmaps.create({ metadata: { name: 'a', namespace: 'b' }, data: { key: 'value' } });
for await (const { type, object } of client.core.v1.nodes.watch()) if (type === 'ADDED') object.spec.podCIDR?.at(0);

// @ts-expect-error an object of a namespace is not found in all of them
await client.core.v1.pods.get('web');
// @ts-expect-error cluster-wide objects have no namespace
client.core.v1.nodes.namespace('default');
// @ts-expect-error reviews are created and not read
await client.authentication.v1.tokenreviews.get('review');
// @ts-expect-error a config map has no such field
await client.core.v1.configmaps.create({ metadata: { name: 'a' }, dat: {} });
// @ts-expect-error a config map has no status
await client.core.v1.configmaps.namespace('default').status.get('a');
// @ts-expect-error an eviction is created and not read
await pods.eviction.get('web');
// @ts-expect-error metadata alone cannot be updated
await pods.asMetadata().update({});
// @ts-expect-error a patch has one of its forms
await pods.patch('web', { spec: {} });
// @ts-expect-error apply needs a field manager
await pods.apply({ metadata: { name: 'web' } }, {});
