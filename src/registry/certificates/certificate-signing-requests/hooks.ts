/** Tells of certificates that are issued for requests that ask for a time. */
import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../../api/gen/types/certificates-v1.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { nothingBegun, type WriteHooks } from '../../generic/write.ts';

/** @param isHonored whether the certificate lasts about as long as the request asks for */
export type ObserveIssued = (signerName: string, isHonored: boolean) => void;

const minute = 60;

export const createSigningRequestHooks = (observe: ObserveIssued): WriteHooks => ({
  beginUpdate(object, old, { subresource, dryRun }) {
    if (subresource !== 'status' || dryRun || certificateOf(old) !== '') return Promise.resolve(nothingBegun);
    return Promise.resolve({
      finish(outcome) {
        const { signerName = '', expirationSeconds } = (object as CertificateSigningRequest).spec;
        const seconds = outcome === 'applied' ? secondsOf(certificateOf(object)) : undefined;
        if (seconds !== undefined && expirationSeconds !== undefined)
          observe(signerName, isAbout(seconds, expirationSeconds));
      },
    });
  },
});

const certificateOf = (object: KubeObject): string => (object as CertificateSigningRequest).status?.certificate ?? '';

/** Signers begin certificates some minutes early, for clocks that are late. */
const isAbout = (seconds: number, wanted: number): boolean => Math.abs(seconds - wanted) < 5 * minute + wanted / 20;

/** Of the first certificate; undefined where there is none. */
function secondsOf(base64: string): number | undefined {
  if (base64 === '') return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(Buffer.from(base64, 'base64'));
    return (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
  } catch {
    return undefined;
  }
}
