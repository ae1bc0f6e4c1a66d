import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { createAuthority, createClientPair } from '../../../pki/pki.ts';
import { CertificateFiles, PendingKey } from './certificate-files.ts';
import { CertificateKeeper, CertificateLost } from './certificate-keeper.ts';
import { hasNames, namesOfNode } from './certificate-names.ts';
import { renewalOf } from './rotation-time.ts';

const ca = createAuthority({ commonName: 'orch-ca' }, new Date());
const pair = createClientPair(ca, { commonName: 'system:node:a' }, new Date());
const yearMs = 365 * 24 * 3_600_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-keeper-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Refuses all requests for certificates; answers others unless it is away. */
function refusing(isAway: () => boolean) {
  let asked = 0;
  const client = {
    certificates: { v1: { certificatesigningrequests: { create: () => Promise.reject(new Error(`${++asked}`)) } } },
    request: () =>
      isAway()
        ? Promise.reject(new Error('away'))
        : Promise.resolve({ status: 403, body: [], end: () => undefined, headers: new Map() }),
  };
  return { client: client as unknown as Client, asked: () => asked };
}

describe('The files of certificates', () => {
  test('The link leads to the pair that was saved last', async () => {
    const files = new CertificateFiles(path.join(folder, 'pki'), 'kubelet-client');
    expect(await files.current()).toBeUndefined();
    await files.save(pair, new Date('2026-01-02T03:04:05Z'));
    expect(await files.current()).toEqual({ certificate: pair.certificate, key: pair.key });
    const other = createClientPair(ca, { commonName: 'system:node:a' }, new Date());
    await files.save(other, new Date('2026-01-02T03:04:06Z'));
    expect((await files.current())!.certificate).toBe(other.certificate);
    expect(path.basename(await readlink(files.currentPath))).toBe('kubelet-client-2026-01-02-03-04-06.pem');
  });

  test.each([
    { name: 'an empty file', content: '' },
    { name: 'a certificate without its key', content: pair.certificate },
    { name: 'a key of another certificate', content: pair.certificate + ca.key },
    { name: 'text', content: 'no PEM' },
  ])('What is no pair counts as none: $name', async ({ content }) => {
    const files = new CertificateFiles(folder, 'kubelet-client');
    await writeFile(files.currentPath, content);
    expect(await files.current()).toBeUndefined();
  });

  test('A pending key is the same after a restart, and a broken one counts as none', async () => {
    const pending = new PendingKey(folder, 'kubelet-client');
    await pending.write(pair.key);
    expect(await pending.read()).toBe(pair.key);
    await pending.write('broken');
    expect(await pending.read()).toBeUndefined();
    await pending.remove();
    expect(await pending.read()).toBeUndefined();
  });
});

test.each([
  { random: 0, at: 700 },
  { random: 0.5, at: 800 },
  { random: 0.999, at: 900 },
])('A certificate is renewed after 70 to 90 % of its life: random $random', ({ random, at }) => {
  expect(Math.round(renewalOf({ from: 0, until: 1000 }, random))).toBe(at);
});

test('A serving certificate is for the names and the addresses of the node, and for none while it has none', () => {
  expect(namesOfNode([])).toBeUndefined();
  expect(
    namesOfNode([
      { type: 'InternalIP', address: '10.0.0.2' },
      { type: 'InternalIP', address: 'fd00::1' },
      { type: 'Hostname', address: 'a' },
      { type: 'InternalDNS', address: 'a.internal' },
    ]),
  ).toEqual({ dnsNames: ['a', 'a.internal'], ipAddresses: ['10.0.0.2', 'fd00::1'] });
  expect(hasNames(pair.certificate, { dnsNames: ['a'], ipAddresses: [] })).toBe(false);
});

describe('Keeping a certificate', () => {
  const keeperOf = (client: Client, clock: FakeClock, wallTime: () => number): CertificateKeeper =>
    new CertificateKeeper({
      files: new CertificateFiles(path.join(folder, 'none'), 'kubelet-client'),
      nodeName: 'a',
      use: 'client auth',
      client,
      first: pair,
      lostAfterMs: 300_000,
      log: silentLogger,
      clock,
      wallTime,
      random: () => 0,
    });

  test('Failed requests are repeated after 2 s, twice as long after each, at most 32 s', async () => {
    const clock = new FakeClock();
    const { client, asked } = refusing(() => false);
    const keeper = keeperOf(client, clock, () => Date.now() + 0.95 * yearMs);
    await keeper.load();
    const stop = new AbortController();
    const running = keeper.run(stop.signal);
    const counts: number[] = [];
    for (const ms of [0, 2000, 4000, 8000, 16_000, 32_000, 32_000]) {
      await clock.advance(ms);
      counts.push(asked());
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    stop.abort();
    await running;
  });

  test.each([
    { name: 'whose server answers ends the agent after five minutes', isAway: false, isLost: true },
    { name: 'whose server is away does not end the agent', isAway: true, isLost: false },
  ])('An expired certificate $name', async ({ isAway, isLost }) => {
    const clock = new FakeClock();
    const { client } = refusing(() => isAway);
    const keeper = keeperOf(client, clock, () => Date.now() + 2 * yearMs);
    await keeper.load();
    const stop = new AbortController();
    let ended: unknown = 'running';
    const running = keeper.run(stop.signal).catch((error: unknown) => (ended = error));
    await clock.advance(290_000);
    expect(ended).toBe('running');
    await clock.advance(60_000);
    if (isLost) expect(ended).toBeInstanceOf(CertificateLost);
    else expect(ended).toBe('running');
    stop.abort();
    await running;
  });
});
