import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { ensurePki } from './pki-files.ts';
import { createAuthority } from '../../pki/pki.ts';
import type { Pki } from '../../pki/pki.ts';
import type { Subject } from '../../pki/certificate.ts';
import { servingNames } from '../../pki/serving-names.ts';

const names = servingNames({ bindAddress: '127.0.0.1', serviceClusterIpRanges: ['10.0.0.0/24'] });
const now = new Date('2026-03-01T12:00:00Z');
const daysLater = (days: number): Date => new Date(now.getTime() + days * 24 * 3_600_000);

let directory: string;
let path: (name: string) => string;
beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'orch-pki-'));
  directory = join(parent, 'deep', 'pki');
  path = (name) => join(directory, name);
});
afterEach(() => rm(join(directory, '..', '..'), { recursive: true }));

const filesOf = async () =>
  Promise.all((await readdir(directory)).map(async (file) => [file, await readFile(path(file), 'utf8')]));

async function putAuthority(subject: Subject): Promise<void> {
  const { certificate, key } = createAuthority(subject, now);
  await Promise.all([writeFile(path('ca.crt'), certificate), writeFile(path('ca.key'), key)]);
}

/** Which of the parts are not the same. */
const changed = (before: Pki, after: Pki): string[] =>
  Object.keys(before).filter(
    (part) => JSON.stringify(before[part as keyof Pki]) !== JSON.stringify(after[part as keyof Pki]),
  );

describe('ensurePki', () => {
  test('ensurePki writes every file for its owner only and leaves nothing else', async () => {
    const pki = await ensurePki(directory, names, now);
    const files = (await readdir(directory)).sort();
    expect(files).toEqual([
      'admin.crt',
      'admin.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
      'front-proxy-ca.crt',
      'front-proxy-ca.key',
      'front-proxy-client.crt',
      'front-proxy-client.key',
      'sa.key',
      'sa.pub',
    ]);
    const modes = await Promise.all(files.map(async (file) => (await stat(path(file))).mode & 0o777));
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await readFile(path('ca.crt'), 'utf8')).toBe(pki.ca.certificate);
  });

  test.each([0o000, 0o777])('ensurePki makes keys that only their owner can read at umask %o', async (mask) => {
    await mkdir(join(directory, '..'));
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    await ensurePki(directory, names, now);
    for (const file of await readdir(directory)) expect((await stat(path(file))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  test('ensurePki takes keys from other users of the machine, and tells so', async () => {
    const first = await ensurePki(directory, names, now);
    await Promise.all([
      chmod(directory, 0o755),
      chmod(path('ca.key'), 0o644),
      chmod(path('sa.key'), 0o660),
      chmod(path('ca.crt'), 0o644),
    ]);
    const told: unknown[] = [];
    expect(
      changed(
        first,
        await ensurePki(directory, names, now, { ...silentLogger, warn: (details) => void told.push(details) }),
      ),
    ).toEqual([]);
    expect(
      await Promise.all(['.', 'ca.key', 'sa.key', 'ca.crt'].map(async (file) => (await stat(path(file))).mode & 0o777)),
    ).toEqual([0o700, 0o600, 0o600, 0o644]);
    expect(told).toEqual([
      { path: directory, before: '0755', now: '0700' },
      { path: path('ca.key'), before: '0644', now: '0600' },
      { path: path('sa.key'), before: '0660', now: '0600' },
    ]);
  });

  test('ensurePki uses all of it again', async () => {
    const first = await ensurePki(directory, names, now);
    expect(changed(first, await ensurePki(directory, names, daysLater(200)))).toEqual([]);
  });

  test('ensurePki renews certificates that near their end, but no authority', async () => {
    const first = await ensurePki(directory, names, now);
    const later = await ensurePki(directory, names, daysLater(280));
    expect(changed(first, later)).toEqual(['serving', 'admin', 'frontProxyClient']);
    expect(new X509Certificate(later.admin.certificate).validTo).toBe('Dec  6 12:00:00 2027 GMT');
  });

  test('ensurePki makes the serving certificate anew when clients may use another name', async () => {
    const first = await ensurePki(directory, names, now);
    const more = await ensurePki(
      directory,
      servingNames({ bindAddress: '192.0.2.1', externalHostname: 'api.example.com', serviceClusterIpRanges: [] }),
      now,
    );
    expect(changed(first, more)).toEqual(['serving']);
    expect(new X509Certificate(more.serving.certificate).checkIP('192.0.2.1')).toBe('192.0.2.1');
  });

  test.each([
    { name: 'a certificate without its key', spoil: () => rm(path('admin.key')), anew: ['admin'] },
    { name: 'a key without its certificate', spoil: () => rm(path('apiserver.crt')), anew: ['serving'] },
    {
      name: 'half a certificate',
      spoil: () => writeFile(path('admin.crt'), '-----BEGIN CERTIFICATE-----\nMIIB'),
      anew: ['admin'],
    },
    { name: 'a missing public service account key', spoil: () => rm(path('sa.pub')), anew: [] },
  ])('Repairs $name', async ({ spoil, anew }) => {
    const first = await ensurePki(directory, names, now);
    await spoil();
    const second = await ensurePki(directory, names, now);
    expect(changed(first, second)).toEqual(anew);
    expect(changed(second, await ensurePki(directory, names, now))).toEqual([]);
  });

  test('Two starts at once end with one and the same PKI, and nothing beside it', async () => {
    const [one, other] = await Promise.all([ensurePki(directory, names, now), ensurePki(directory, names, now)]);
    expect(changed(one, other)).toEqual([]);
    expect(changed(one, await ensurePki(directory, names, now))).toEqual([]);
    expect(await readdir(join(directory, '..'))).toEqual(['pki']);
  });

  test.each([
    {
      name: 'is missing',
      spoil: () => rm(path('ca.key')),
      message: /ca\.key is missing: put it back, or remove .*pki to make a new authority/,
    },
    {
      name: 'is of another authority',
      spoil: async () => writeFile(path('ca.key'), await readFile(path('front-proxy-ca.key'))),
      message: /ca\.crt and ca\.key do not belong together/,
    },
    {
      name: 'is there but its certificate is not',
      spoil: () => rm(path('ca.crt')),
      message: /ca\.crt is missing: put it back/,
    },
    {
      name: 'is signed by another authority',
      spoil: () => putAuthority({ commonName: 'example-ca' }),
      message: /ca\.crt is not an authority that orch made: give certificates of your own with --tls-cert-file/,
    },
    {
      name: 'cannot be read',
      spoil: () => writeFile(path('ca.key'), 'x'),
      message: /ca\.crt and ca\.key do not belong together/,
    },
  ])('ensurePki never replaces the authority by itself: its key $name', async ({ spoil, message }) => {
    await ensurePki(directory, names, now);
    await spoil();
    const before = await filesOf();
    await expect(ensurePki(directory, names, now)).rejects.toThrow(message);
    expect(await filesOf()).toEqual(before);
  });

  test('ensurePki says when the authority has expired', async () => {
    await ensurePki(directory, names, now);
    await expect(ensurePki(directory, names, daysLater(3651))).rejects.toThrow(/ca\.crt has expired: remove .*pki/);
  });
});
