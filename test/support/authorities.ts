/** Two authorities with the same name, and what the first vouches for, in PEM. */
import {
  adminSubject,
  caSubject,
  createAdmin,
  createAuthority,
  createServing,
  type KeyPair,
} from '../../src/pki/pki.ts';

export interface TestAuthorities {
  readonly ca: KeyPair;
  readonly other: KeyPair;
  serving(dnsName: string): KeyPair;
  client(): KeyPair;
}

export const authorityName = caSubject.commonName;
export const clientSubject = adminSubject;

export function createTestAuthorities(): TestAuthorities {
  const now = new Date();
  const ca = createAuthority(caSubject, now);
  return {
    ca,
    other: createAuthority(caSubject, now),
    serving: (dnsName) => createServing(ca, { dnsNames: [dnsName], ipAddresses: [] }, now),
    client: () => createAdmin(ca, now),
  };
}
