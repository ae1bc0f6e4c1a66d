import { X509Certificate, createPrivateKey } from 'node:crypto';

/** Whether a certificate and a key, both PEM, belong together. */
export function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
