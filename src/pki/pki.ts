/**
 * The keys and certificates of a control plane on one machine: its authority, what the API server shows, the
 * administrator's client certificate, the service account key, and the front proxy's own authority.
 *
 * Names of files and their roles are those of kubeadm, so that its users find their way.
 *
 * @see {@link https://kubernetes.io/docs/setup/best-practices/certificates/ | PKI certificates and requirements}
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createCertificate, createKey } from './certificate.ts';
import type { CertificateRequest, Subject } from './certificate.ts';
import type { ServingNames } from './serving-names.ts';

/** PEM texts. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Pki {
  /** Vouches for `serving` and `admin`: `--client-ca-file`. */
  readonly ca: KeyPair;
  readonly serving: KeyPair;
  /** Group `system:masters`, which may do everything in every authorization mode. */
  readonly admin: KeyPair;
  readonly serviceAccount: { readonly publicKey: string; readonly privateKey: string };
  /** Vouches for `frontProxyClient` only: its bearers may name any user in request headers. */
  readonly frontProxyCa: KeyPair;
  readonly frontProxyClient: KeyPair;
}

const dayMs = 24 * 3_600_000;
const authorityDays = 3650;
const certificateDays = 365;
/** Clocks of clients may be behind. */
const skewMs = 5 * 60_000;

export const caSubject: Subject = { commonName: 'orch-ca' };
export const frontProxyCaSubject: Subject = { commonName: 'orch-front-proxy-ca' };
export const adminSubject: Subject = { commonName: 'orch-admin', organization: 'system:masters' };
const servingSubject: Subject = { commonName: 'orch-apiserver' };
const frontProxyClientSubject: Subject = { commonName: 'front-proxy-client' };

export function createAuthority(subject: Subject, now: Date): KeyPair {
  return createPair({ subject, use: 'authority' }, authorityDays, now);
}

export const createServing = (ca: KeyPair, { dnsNames, ipAddresses }: ServingNames, now: Date): KeyPair =>
  createPair(
    { subject: servingSubject, use: 'server', dnsNames, ipAddresses, issuer: issuerOf(ca, caSubject) },
    certificateDays,
    now,
  );

export const createAdmin = (ca: KeyPair, now: Date): KeyPair => createClientPair(ca, adminSubject, now);

/** For a client that the control plane's authority vouches for. */
export const createClientPair = (ca: KeyPair, subject: Subject, now: Date): KeyPair =>
  createPair({ subject, use: 'client', issuer: issuerOf(ca, caSubject) }, certificateDays, now);

export const createFrontProxyClient = (ca: KeyPair, now: Date): KeyPair =>
  createPair(
    { subject: frontProxyClientSubject, use: 'client', issuer: issuerOf(ca, frontProxyCaSubject) },
    certificateDays,
    now,
  );

export function createServiceAccountKey(): Pki['serviceAccount'] {
  const key = createKey();
  return { privateKey: keyToPem(key), publicKey: publicKeyToPem(key) };
}

/** A certificate that vouches for itself, for a server that was given none. */
export function createSelfSigned(commonName: string, { dnsNames, ipAddresses }: ServingNames, now: Date): KeyPair {
  const ca = createAuthority({ commonName: `${commonName}-ca` }, now);
  const leaf = createPair(
    {
      subject: { commonName },
      use: 'server',
      dnsNames,
      ipAddresses,
      issuer: issuerOf(ca, { commonName: `${commonName}-ca` }),
    },
    certificateDays,
    now,
  );
  return { certificate: leaf.certificate + ca.certificate, key: leaf.key };
}

/** All of it, in memory. */
export function createPki(names: ServingNames, now: Date): Pki {
  const ca = createAuthority(caSubject, now);
  const frontProxyCa = createAuthority(frontProxyCaSubject, now);
  return {
    ca,
    serving: createServing(ca, names, now),
    admin: createAdmin(ca, now),
    serviceAccount: createServiceAccountKey(),
    frontProxyCa,
    frontProxyClient: createFrontProxyClient(frontProxyCa, now),
  };
}

type PairRequest = Omit<CertificateRequest, 'key' | 'notBefore' | 'notAfter'>;

function createPair(request: PairRequest, days: number, now: Date): KeyPair {
  const key = createKey();
  const notBefore = new Date(now.getTime() - skewMs);
  const notAfter = new Date(now.getTime() + days * dayMs);
  return { certificate: createCertificate({ ...request, key, notBefore, notAfter }), key: keyToPem(key) };
}

const issuerOf = (ca: KeyPair, subject: Subject): { subject: Subject; key: KeyObject } => ({
  subject,
  key: createPrivateKey(ca.key),
});

/** The public half of a private key. */
export const publicKeyToPem = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;

const keyToPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }) as string;
