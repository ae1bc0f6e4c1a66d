/** A quota that many clients of two servers use up at the same time. */
import { expect, test } from 'vitest';
import { startAnyEtcd } from '../../support/any-etcd.ts';
import { type Answer, startReplica } from '../../support/replica.ts';

const creators = 64;
const allowed = 10;
const namespace = '/api/v1/namespaces/full';
const amounts = { pods: String(allowed) };

interface Quota {
  readonly metadata: object;
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

test('64 clients of two servers that create pods at once never get more than a quota allows', async () => {
  await using etcd = await startAnyEtcd();
  await using one = await startReplica(etcd.url);
  await using other = await startReplica(etcd.url);
  await one.send('POST', '/api/v1/namespaces', { metadata: { name: 'full' } });
  const quota = { metadata: { name: 'q' }, spec: { hard: amounts } };
  const { body } = await one.send<Quota>('POST', `${namespace}/resourcequotas`, quota);
  // What the controller of quotas writes.
  const status = { hard: amounts, used: { pods: '0' } };
  await one.send('PUT', `${namespace}/resourcequotas/q/status`, { ...body, status });
  await other.until<Quota>(`${namespace}/resourcequotas/q`, (answer) => answer.body.status?.used?.['pods'] === '0');

  const create = (i: number): Promise<Answer<{ readonly message?: string }>> => {
    const pod = { metadata: { name: `p${i}` }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    return (i % 2 === 0 ? one : other).send('POST', `${namespace}/pods`, pod);
  };
  const answers = await Promise.all(Array.from({ length: creators }, (_, i) => create(i)));

  const refused = answers.filter((answer) => answer.status === 403);
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(allowed);
  expect(refused).toHaveLength(creators - allowed);
  for (const answer of refused)
    expect(answer.body.message).toMatch(
      /is forbidden: exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10$/,
    );
  const pods = await one.send<{ readonly items: readonly unknown[] }>('GET', `${namespace}/pods`);
  expect(pods.body.items).toHaveLength(allowed);
  const after = await other.send<Quota>('GET', `${namespace}/resourcequotas/q`);
  expect(after.body.status?.used).toEqual({ pods: String(allowed) });
});
