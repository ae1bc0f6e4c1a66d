import { expect, test } from 'vitest';
import type { ConfigMap, Secret } from '../../api/gen/types/core-v1.ts';
import { detachedSignature, signedConfigMap, signingTokens } from './sync.ts';

const kubeconfig = 'apiVersion: v1\nkind: Config\n';
const recorded = 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImFhYWFhYSJ9..izXnHpTVwI5ymXSs_HpQOFsjrXZPgkTlyxLFftVNqd4';
const token = '0123456789abcdef';
const nowMs = Date.parse('2026-01-01T00:00:00Z');

test('The signature is the one that Kubernetes 1.32 made of the same content', () => {
  expect(detachedSignature(kubeconfig, 'aaaaaa', token)).toBe(recorded);
});

const good = { 'token-id': 'aaaaaa', 'token-secret': token, 'usage-bootstrap-signing': 'true' };
test.each([
  { name: 'signs', data: good, signs: true },
  { name: 'is for something else', data: { ...good, 'usage-bootstrap-signing': 'false' }, signs: false },
  { name: 'has expired', data: { ...good, expiration: '2025-12-31T23:59:59Z' }, signs: false },
  { name: 'ends later', data: { ...good, expiration: '2026-01-01T00:00:01Z' }, signs: true },
  { name: 'has an end that cannot be read', data: { ...good, expiration: 'soon' }, signs: false },
  { name: 'has no secret', data: { ...good, 'token-secret': '' }, signs: false },
  { name: 'has the identifier of another', data: { ...good, 'token-id': 'bbbbbb' }, signs: false },
  { name: 'has another name', data: good, secretName: 'mine', signs: false },
])('A token that $name is used or not', ({ data, secretName = 'bootstrap-token-aaaaaa', signs }) => {
  const secret = { metadata: { name: secretName }, data: encoded(data) } as Secret;
  expect([...signingTokens([secret], nowMs)]).toEqual(signs ? [['aaaaaa', token]] : []);
});

const encoded = (data: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

const signature = { 'jws-kubeconfig-aaaaaa': recorded };
test.each([
  { name: 'gets a signature', data: { kubeconfig }, signed: { kubeconfig, ...signature } },
  { name: 'is left when it is signed', data: { kubeconfig, ...signature }, signed: undefined },
  {
    name: 'gets a signature of its content',
    data: { kubeconfig, 'jws-kubeconfig-aaaaaa': 'wrong' },
    signed: { kubeconfig, ...signature },
  },
  {
    name: 'loses signatures of tokens that are gone',
    data: { kubeconfig, ...signature, 'jws-kubeconfig-zzzzzz': 'x' },
    signed: { kubeconfig, ...signature },
  },
  { name: 'keeps what else it has', data: { kubeconfig, a: 'b' }, signed: { kubeconfig, a: 'b', ...signature } },
  { name: 'is left without a kubeconfig', data: { 'jws-kubeconfig-zzzzzz': 'x' }, signed: undefined },
])('A config map $name', ({ data, signed }) => {
  const configMap = { metadata: { name: 'cluster-info' }, data } as unknown as ConfigMap;
  expect(signedConfigMap(configMap, new Map([['aaaaaa', token]]))?.data).toEqual(signed);
});
