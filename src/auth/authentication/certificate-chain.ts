/**
 * Which certificate authorities vouch for a client certificate. The handshake has asked OpenSSL already, but with the
 * authorities of all purposes together and as they were then; this asks for those of one purpose, as they are now.
 * @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-6 | RFC 5280, section 6}
 */
import { X509Certificate } from 'node:crypto';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { versionOf } from '../../pki/certificate-version.ts';
import type { PeerCertificate } from '../request-facts.ts';

const usage = { clientAuth: '1.3.6.1.5.5.7.3.2', any: '2.5.29.37.0' };
/** Bounds the work that a client can cause with certificates that lead in circles. */
const maxSignatureChecks = 100;

/** A chain holds from the youngest start to the first end in it. */
interface Verdict {
  readonly bundle: readonly X509Certificate[];
  readonly from: number;
  readonly to: number;
  readonly error: string | undefined;
}

export class TrustedAuthorities {
  #bundle: readonly X509Certificate[];
  readonly #verdicts = new WeakMap<PeerCertificate, Verdict>();

  constructor(pem: ReloadableText) {
    this.#bundle = readCertificates(pem.get());
    pem.onChange(() => (this.#bundle = readCertificates(pem.get())));
  }

  /**
   * What speaks against the certificate, or undefined. Asked again for each request, because authorities and
   * certificates end.
   */
  problemWith(peer: PeerCertificate, now = Date.now()): string | undefined {
    if (!peer.verified) return peer.error ?? 'certificate signed by unknown authority';
    let verdict = this.#verdicts.get(peer);
    if (verdict?.bundle !== this.#bundle) this.#verdicts.set(peer, (verdict = judge(peer, this.#bundle)));
    if (verdict.error !== undefined) return verdict.error;
    return now < verdict.from || now > verdict.to ? 'certificate has expired or is not yet valid' : undefined;
  }
}

/** All certificates of a PEM text. Throws when there is none, or one that cannot be read. */
export function readCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('data does not contain any valid RSA or ECDSA certificates');
  return blocks.map((block) => new X509Certificate(block));
}

function judge(peer: PeerCertificate, bundle: readonly X509Certificate[]): Verdict {
  const wrongUsage = !allowsClients(peer.certificate);
  const chain = wrongUsage
    ? undefined
    : findChain([peer.certificate], peer.issuers, bundle, { left: maxSignatureChecks });
  const error = wrongUsage
    ? 'certificate specifies an incompatible key usage'
    : chain === undefined
      ? 'certificate signed by unknown authority'
      : undefined;
  return {
    bundle,
    error,
    from: Math.max(...(chain ?? []).map((certificate) => Date.parse(certificate.validFrom))),
    to: Math.min(...(chain ?? []).map((certificate) => Date.parse(certificate.validTo))),
  };
}

/** From the client's certificate to one of the bundle, each signed by the next. */
function findChain(
  chain: readonly X509Certificate[],
  between: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
  checks: { left: number },
): readonly X509Certificate[] | undefined {
  const last = chain.at(-1)!;
  if (bundle.some(({ fingerprint256 }) => fingerprint256 === last.fingerprint256)) return chain;
  const signed = (issuer: X509Certificate): boolean =>
    last.checkIssued(issuer) && checks.left-- > 0 && last.verify(issuer.publicKey);
  for (const anchor of bundle) if (mayAnchor(anchor) && signed(anchor)) return [...chain, anchor];
  for (const issuer of between) {
    if (
      chain.some(({ fingerprint256 }) => fingerprint256 === issuer.fingerprint256) ||
      !allowsClients(issuer) ||
      !issuer.ca ||
      !signed(issuer)
    )
      continue;
    const found = findChain([...chain, issuer], between, bundle, checks);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Authorities of old clusters are certificates without extensions, so that nothing in them says that they may sign: who
 * is in the bundle is trusted by that. @see {@link https://www.rfc-editor.org/rfc/rfc5280#section-6.1.4 | RFC 5280,
 * section 6.1.4}, step (k)
 */
const mayAnchor = (certificate: X509Certificate): boolean => certificate.ca || versionOf(certificate) < 3;

/** A certificate that names no extended usage may be used for all; the extended ones are what Node calls keyUsage. */
const allowsClients = ({ keyUsage }: X509Certificate): boolean =>
  (keyUsage as string[] | undefined) === undefined ||
  keyUsage.includes(usage.clientAuth) ||
  keyUsage.includes(usage.any);
