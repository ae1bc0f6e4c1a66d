import { expect, test } from 'vitest';
import { certificateRequest } from '../../test/support/certificate-requests.ts';
import { certificateRequestProblem } from './certificate-request.ts';
import { requestSubject } from './request-subject.ts';

test.each([
  { name: 'with all there is', subject: { commonName: 'system:node:a', organizations: ['system:nodes', 'two'] } },
  { name: 'without a name', subject: { commonName: '', organizations: ['system:masters'] } },
  { name: 'in any script', subject: { commonName: 'ünïcode', organizations: [] } },
])('The subject of a certificate request is read $name', ({ subject }) => {
  const pem = certificateRequest(subject);
  expect(certificateRequestProblem(pem)).toBeUndefined();
  expect(requestSubject(pem)).toEqual(subject);
});

test('Bytes that are no certificate request are refused', () => {
  expect(() => requestSubject('x')).toThrow('PEM block type must be CERTIFICATE REQUEST');
  expect(() =>
    requestSubject(
      `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from([0x30, 0x10, 0]).toString('base64')}\n-----END ` +
        'CERTIFICATE REQUEST-----',
    ),
  ).toThrow('data truncated');
});
