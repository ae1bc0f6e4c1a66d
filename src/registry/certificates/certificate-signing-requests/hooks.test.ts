import { describe, expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../../api/gen/types/certificates-v1.ts';
import { createCertificate, createKey } from '../../../pki/certificate.ts';
import type { WriteRequest } from '../../generic/write.ts';
import { createSigningRequestHooks } from './hooks.ts';

const key = createKey();
const certificateFor = (seconds: number): string =>
  Buffer.from(
    createCertificate({
      subject: { commonName: 'c' },
      use: 'client',
      key,
      notBefore: new Date('2026-01-01T00:00:00Z'),
      notAfter: new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000),
    }),
  ).toString('base64');

const requestWith = (expirationSeconds: number | undefined, certificate?: string): CertificateSigningRequest =>
  ({
    metadata: { name: 'r' },
    spec: { signerName: 'example.com/s', request: '', expirationSeconds },
    status: { certificate },
  }) as CertificateSigningRequest;

const hour = 3600;

describe('certificates that are issued', () => {
  test.each([
    { name: 'lasts as long as was asked for', wanted: hour, issued: hour, told: [['example.com/s', true]] },
    { name: 'begins five minutes early', wanted: hour, issued: hour + 300, told: [['example.com/s', true]] },
    {
      name: 'lasts half of what was asked for',
      wanted: 24 * hour,
      issued: 12 * hour,
      told: [['example.com/s', false]],
    },
    { name: 'was asked for without a time', wanted: undefined, issued: hour, told: [] },
    { name: 'replaces another one', wanted: hour, issued: hour, before: certificateFor(hour), told: [] },
    { name: 'is issued in a dry run', wanted: hour, issued: hour, request: { dryRun: true }, told: [] },
    { name: 'is in an update of the request', wanted: hour, issued: hour, request: { subresource: '' }, told: [] },
    { name: 'could not be written', wanted: hour, issued: hour, outcome: 'refused' as const, told: [] },
  ])('A certificate that $name is counted as such', async ({ wanted, issued, before, request, outcome, told }) => {
    const observed: unknown[] = [];
    const hooks = createSigningRequestHooks((...about) => void observed.push(about));
    const begun = await hooks.beginUpdate!(requestWith(wanted, certificateFor(issued)), requestWith(wanted, before), {
      subresource: 'status',
      dryRun: false,
      ...request,
    } as WriteRequest);
    await begun.finish(outcome ?? 'applied', 1);
    expect(observed).toEqual(told);
  });
});
