import { describe, expect, test } from 'vitest';
import { certificateRequestProblem } from './certificate-request.ts';
import { createKey, spki } from './certificate.ts';
import { createCertificateRequest } from './create-certificate-request.ts';
import { requestDetails } from './request-details.ts';

const subject = { commonName: 'system:node:a', organization: 'system:nodes' };

describe('Making a certificate request, RFC 2986', () => {
  test.each<{ name: string; asked: object; dns: string[]; ips: string[] }>([
    { name: 'without names', asked: {}, dns: [], ips: [] },
    {
      name: 'with names and addresses of both families',
      asked: { dnsNames: ['a', 'a.example.com'], ipAddresses: ['10.0.0.1', 'fd00::1'] },
      dns: ['a', 'a.example.com'],
      ips: ['0a000001', 'fd000000000000000000000000000001'],
    },
  ])('A request $name says its key and its names, and is signed with its key', ({ asked, dns, ips }) => {
    const key = createKey();
    const pem = createCertificateRequest({ subject, key, ...asked });
    expect(certificateRequestProblem(pem)).toBeUndefined();
    const details = requestDetails(pem);
    expect(details.publicKey).toEqual(spki(key));
    expect([...details.subject.values()]).toEqual([['system:nodes'], ['system:node:a']]);
    expect(details.dnsNames).toEqual(dns);
    expect(details.ipAddresses.map((ip) => ip.toString('hex'))).toEqual(ips);
  });
});
