import { describe, expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { certificateRequest, type RequestedNames } from '../../../test/support/certificate-requests.ts';
import { requestDetails } from '../../pki/request-details.ts';
import { requestProblem, type SignerName, signerNames } from './rules.ts';
import { approvalsFor, durationMsOf, isToBeSigned, validityOf, withFailure } from './sync.ts';

const node = { commonName: 'system:node:a', organizations: ['system:nodes'] };
const { kubeApiserverClient, kubeletClient, kubeletServing, legacyUnknown } = signerNames;
const clientUsages = ['digital signature', 'key encipherment', 'client auth'];
const servingUsages = ['digital signature', 'key encipherment', 'server auth'];
const serving = { ...node, names: { dns: ['a'] } };

interface Row {
  readonly name: string;
  readonly signer: SignerName;
  readonly subject?: { commonName?: string; organizations?: readonly string[]; names?: RequestedNames };
  readonly usages?: readonly string[];
  readonly problem: string | undefined;
}

const rows: readonly Row[] = [
  { name: 'a kubelet', signer: kubeletClient, problem: undefined },
  {
    name: 'a kubelet whose key cannot encipher',
    signer: kubeletClient,
    usages: ['client auth', 'digital signature'],
    problem: undefined,
  },
  {
    name: 'a kubelet for serving',
    signer: kubeletClient,
    usages: servingUsages,
    problem: 'usages did not match [client auth digital signature key encipherment]',
  },
  {
    name: 'a kubelet with two groups',
    signer: kubeletClient,
    subject: { ...node, organizations: ['system:nodes', 'system:masters'] },
    problem: 'subject organization is not system:nodes',
  },
  {
    name: 'a user in the group of nodes',
    signer: kubeletClient,
    subject: { ...node, commonName: 'admin' },
    problem: 'subject common name does not begin with system:node:',
  },
  ...Object.entries({
    DNS: { dns: ['a'] },
    Email: { email: ['a@b'] },
    IP: { ip: ['10.0.0.1'] },
    URI: { uri: ['x:y'] },
  }).map(([kind, names]) => ({
    name: `a kubelet with a name of kind ${kind}`,
    signer: kubeletClient,
    subject: { ...node, names },
    problem: `${kind} subjectAltNames are not allowed`,
  })),
  { name: 'a server', signer: kubeletServing, subject: serving, usages: servingUsages, problem: undefined },
  {
    name: 'a server without a name',
    signer: kubeletServing,
    usages: servingUsages,
    problem: 'DNS or IP subjectAltName is required',
  },
  {
    name: 'a server with an address of mail',
    signer: kubeletServing,
    subject: { ...node, names: { dns: ['a'], email: ['a@b'] } },
    usages: servingUsages,
    problem: 'Email subjectAltNames are not allowed',
  },
  {
    name: 'a server as a client',
    signer: kubeletServing,
    subject: serving,
    problem: 'usages did not match [digital signature key encipherment server auth]',
  },
  { name: 'a user', signer: kubeApiserverClient, usages: ['client auth'], problem: undefined },
  {
    name: 'a user that serves',
    signer: kubeApiserverClient,
    usages: ['client auth', 'server auth'],
    problem: 'invalid usage for client certificate: server auth',
  },
  {
    name: 'a user that only signs',
    signer: kubeApiserverClient,
    usages: ['digital signature'],
    problem: 'missing required usage for client certificate: client auth',
  },
  { name: 'anything of old', signer: legacyUnknown, usages: ['code signing'], problem: undefined },
];

test.each(rows)('What $signer says of $name', ({ signer, subject = node, usages = clientUsages, problem }) => {
  expect(requestProblem(signer, requestDetails(certificateRequest(subject)), usages)).toBe(problem);
});

const request = (
  spec: CertificateSigningRequest['spec'] = {},
  status: CertificateSigningRequest['status'] = {},
): CertificateSigningRequest => ({
  metadata: { name: 'a' },
  spec: { signerName: kubeletClient, usages: clientUsages as never, username: 'system:bootstrap:a', ...spec },
  status,
});

test.each([
  { name: 'of another user', spec: {}, subject: node, asked: ['nodeclient'] },
  { name: 'of the node', spec: { username: 'system:node:a' }, subject: node, asked: ['selfnodeclient', 'nodeclient'] },
  { name: 'to another signer', spec: { signerName: kubeApiserverClient }, subject: node, asked: [] },
  { name: 'that the signer refuses', spec: {}, subject: { ...node, commonName: 'a' }, asked: [] },
])('What is asked about a request $name', ({ spec, subject, asked }) => {
  const approvals = approvalsFor(request(spec), requestDetails(certificateRequest(subject)));
  expect(approvals.map(({ subresource }) => subresource)).toEqual(asked);
});

const condition = (type: 'Approved' | 'Denied' | 'Failed') => ({ type, status: 'True' as const });
test.each([
  { name: 'approved', status: { conditions: [condition('Approved')] }, signed: true },
  { name: 'pending', status: {}, signed: false },
  { name: 'denied', status: { conditions: [condition('Denied')] }, signed: false },
  { name: 'both', status: { conditions: [condition('Approved'), condition('Denied')] }, signed: false },
  { name: 'failed', status: { conditions: [condition('Approved'), condition('Failed')] }, signed: false },
  { name: 'signed', status: { conditions: [condition('Approved')], certificate: 'eA==' }, signed: false },
])('A request that is $name is signed: $signed', ({ status, signed }) => {
  expect(isToBeSigned(request({}, status), kubeletClient)).toBe(signed);
  expect(isToBeSigned(request({}, status), kubeletServing)).toBe(false);
});

test('A failure comes after the approval', () => {
  const { status } = withFailure(request({}, { conditions: [condition('Approved')] }), 'why', 1_500);
  expect(status.conditions).toEqual([
    condition('Approved'),
    {
      ...condition('Failed'),
      reason: 'SignerValidationFailure',
      message: 'why',
      lastUpdateTime: '1970-01-01T00:00:01Z',
    },
  ]);
});

describe('time of a certificate', () => {
  const hourMs = 3_600_000;
  test.each([
    { name: 'as long as the signer gives', seconds: undefined, ms: 24 * hourMs },
    { name: 'as long as asked for', seconds: 7200, ms: 2 * hourMs },
    { name: 'no longer than the signer gives', seconds: 900_000, ms: 24 * hourMs },
    { name: 'ten minutes at least', seconds: 60, ms: 600_000 },
  ])('Time of a certificate is $name', ({ seconds, ms }) => {
    expect(durationMsOf(seconds, 24 * hourMs)).toBe(ms);
  });

  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  test.each([
    { name: 'a short one is not shortened', durationMs: hourMs, to: '2026-01-01T13:00:00Z' },
    { name: 'a long one includes the time before', durationMs: 24 * hourMs, to: '2026-01-02T11:55:00Z' },
    { name: 'none outlives its authority', durationMs: 1000 * hourMs, to: '2026-01-10T00:00:00Z' },
  ])('Begins five minutes before: $name', ({ durationMs, to }) => {
    const { notBefore, notAfter } = validityOf(nowMs, durationMs, new Date('2026-01-10T00:00:00Z'));
    expect([notBefore, notAfter]).toEqual([new Date('2026-01-01T11:55:00Z'), new Date(to)]);
  });

  test('A certificate has no time when its authority has expired', () => {
    expect(() => validityOf(nowMs, hourMs, new Date(nowMs))).toThrow(
      'refusing to sign a certificate that expired in the past: NotAfter=2026-01-01T12:00:00Z',
    );
  });
});
