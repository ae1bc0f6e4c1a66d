import { expect, test } from 'vitest';
import type { PeerCertificate } from 'node:tls';
import { checkServerIdentity } from './server-identity.ts';

const certificate = (CN: string, subjectaltname?: string): PeerCertificate =>
  ({ subject: { CN }, subjectaltname }) as unknown as PeerCertificate;

const legacy = 'certificate relies on legacy Common Name field, use SANs instead';

test.each([
  { name: 'an alternative name', host: 'a.test', of: certificate('x', 'DNS:a.test'), says: undefined },
  { name: 'a wildcard', host: 'a.b.test', of: certificate('x', 'DNS:*.b.test, DNS:c'), says: undefined },
  { name: 'an address', host: '127.0.0.1', of: certificate('x', 'IP Address:127.0.0.1'), says: undefined },
  { name: 'a common name alone', host: 'a.test', of: certificate('a.test'), says: legacy },
  {
    name: 'a common name beside addresses',
    host: 'a.test',
    of: certificate('a.test', 'IP Address:127.0.0.1'),
    says: 'certificate is not valid for any names, but wanted to match a.test',
  },
  {
    name: 'another name',
    host: 'a.test',
    of: certificate('x', 'DNS:b.test'),
    says: 'Host: a.test. is not in the cert',
  },
])('A server is known by its certificate with $name, or is not', ({ host, of, says }) => {
  const problem = checkServerIdentity(host, of)?.message;
  if (says === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(says);
});
