import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { certificateRequest } from '../../../test/support/certificate-requests.ts';
import { createAuthority } from '../../pki/pki.ts';
import type { ControllerContext } from '../manager/context.ts';
import { authorityOf } from './authority-files.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';

let directory: string;
let files: { certFile: string; keyFile: string };
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-authority-'));
  files = { certFile: path.join(directory, 'ca.crt'), keyFile: path.join(directory, 'ca.key') };
});
afterEach(() => rm(directory, { recursive: true }));

const now = new Date();
const validity = { notBefore: now, notAfter: new Date(now.getTime() + 60_000) };
const first = createAuthority({ commonName: 'first' }, now);
const second = createAuthority({ commonName: 'second' }, now);

function contextWith(clock: FakeClock, warn: () => void): ControllerContext {
  const log = { debug: () => undefined, info: () => undefined, warn, error: () => undefined };
  return { log, clock, onStop: () => undefined } as unknown as ControllerContext;
}

test('An authority is replaced once both of its files are', async () => {
  const clock = new FakeClock();
  const warn = vi.fn();
  await writeFile(files.certFile, first.certificate);
  await writeFile(files.keyFile, first.key);
  const authority = await authorityOf(contextWith(clock, warn), files);
  const issuer = (): string =>
    new X509Certificate(authority().sign(certificateRequest({ commonName: 'a' }), ['client auth'], validity)).issuer;
  await writeFile(files.certFile, second.certificate);
  await clock.advance(5000);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
  expect(issuer()).toBe('CN=first');
  await writeFile(files.keyFile, second.key);
  await clock.advance(5000);
  await vi.waitFor(() => expect(issuer()).toBe('CN=second'));
});

test('A signer does not begin with a key of another certificate', async () => {
  await writeFile(files.certFile, first.certificate);
  await writeFile(files.keyFile, second.key);
  const context = contextWith(new FakeClock(), () => undefined);
  await expect(authorityOf(context, files)).rejects.toThrow('the private key is not that of the certificate');
});
