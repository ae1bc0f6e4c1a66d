/** Which credential was made, and which was used: the audit log names both, and shows neither. */
import { expect, test } from 'vitest';
import { AuditedServer } from '../../support/audited-server.ts';

/** For JSON.stringify: an error with all that it says. */
const withErrors = (_: string, value: unknown): unknown =>
  value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;

test('Audit events name a token by its id when it is made and used; no event or log line contains it', async () => {
  const lines: string[] = [];
  const note = (details: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(details, withErrors)}`);
  await using server = await AuditedServer.start({
    policy: 'rules:\n- level: Metadata',
    flags: ['--audit-log-path=DIRECTORY/audit.log'],
    log: { debug: note, info: note, warn: note, error: note },
  });
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await server.send('POST', accounts, { body: { metadata: { name: 'robot' } } });
  const made = await server.send('POST', `${accounts}/robot/token`, { body: {}, headers: { 'audit-id': 'making' } });
  const { token } = (JSON.parse(made.text) as { status: { token: string } }).status;
  const [, claims = '', signature = ''] = token.split('.');
  const id = `JTI=${(JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string }).jti}`;
  const making = (await server.eventsOf('making')).at(-1)!;
  expect(making.annotations).toMatchObject({ 'authentication.kubernetes.io/issued-credential-id': id });
  await server.send('GET', '/api', { headers: { authorization: `Bearer ${token}`, 'audit-id': 'using' } });
  expect((await server.eventsOf('using')).at(-1)!.user).toMatchObject({
    username: 'system:serviceaccount:default:robot',
    extra: { 'authentication.kubernetes.io/credential-id': [id] },
  });

  const wrong = [
    `${token}x`,
    `${token.slice(0, -30)}${'A'.repeat(30)}`,
    'wrong-static-token',
    'abcdef.0123456789abcdef',
  ];
  for (const attempt of wrong)
    await server.send('GET', '/api', { headers: { authorization: `Bearer ${attempt}`, 'audit-id': 'guessing' } });
  await server.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: `${token}x` } },
  });
  const everything = [...lines, ...(await server.lines())].join('\n');
  expect((await server.eventsOf('guessing')).length).toBeGreaterThan(0);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of [
    signature.slice(0, 40),
    claims,
    'wrong-static-token',
    '0123456789abcdef',
    'admin-token',
    'PRIVATE KEY',
  ])
    expect([secret, everything.includes(secret)]).toEqual([secret, false]);
});
