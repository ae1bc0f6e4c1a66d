import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSelfSigned } from '../../pki/pki.ts';
import type { ExecObserver } from '../exec-observer.ts';
import { execCredentials, type ExecOptions } from './exec-plugin.ts';

const v1 = 'client.authentication.k8s.io/v1';
const start = Date.parse('2026-01-01T00:00:00Z');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-exec-'));
});
afterEach(() => rm(folder, { recursive: true }));

const dayMs = 86_400_000;

/** What an observer was told of a plugin. */
class Observed implements ExecObserver {
  readonly told: string[] = [];
  readonly ages: number[] = [];
  /** The certificate that the plugin prints. */
  expected: X509Certificate | undefined;

  called({ status, code }: { readonly status: string; readonly code: number }): void {
    this.told.push(`${status} ${code}`);
  }

  rotated(ageMs: number): void {
    this.told.push('rotated');
    this.ages.push(ageMs);
  }

  holds(_plugin: string, certificateEndsAt: number | undefined): void {
    const said = this.expected && Date.parse(this.expected.validTo);
    this.told.push(certificateEndsAt === undefined ? 'has none' : certificateEndsAt === said ? 'ends as it says' : '?');
  }
}

/** A plugin that notes what it was told, and prints the file `answer`. */
async function setUp({ fields = {}, options = {} }: { fields?: object; options?: Partial<ExecOptions> } = {}) {
  const note = `echo "$KUBERNETES_EXEC_INFO|$OWN|$*" >> told`;
  const script = `#!/bin/sh\ncd "${folder}"\n${note}\ncat answer\nexit $(cat code)\n`;
  await writeFile(path.join(folder, 'plugin'), script);
  await chmod(path.join(folder, 'plugin'), 0o755);
  await writeFile(path.join(folder, 'code'), '0');
  let now = start;
  const credentials = execCredentials(
    { fields: { apiVersion: v1, command: './plugin', interactiveMode: 'IfAvailable', ...fields }, folder },
    {
      cluster: { server: 'https://c', config: { audience: 'x' } },
      environment: process.env,
      isInteractive: false,
      now: () => now,
      ...options,
    },
  );
  return {
    credentials,
    print: (status: object, more: object = {}) =>
      writeFile(
        path.join(folder, 'answer'),
        JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, status, ...more }),
      ),
    printText: (text: string) => writeFile(path.join(folder, 'answer'), text),
    endWith: (code: number) => writeFile(path.join(folder, 'code'), String(code)),
    told: async () => (await readFile(path.join(folder, 'told'), 'utf8')).trim().split('\n'),
    pass: (ms: number) => void (now += ms),
  };
}

describe('an exec plugin', () => {
  test('An exec plugin is run once for all until its credentials expire', async () => {
    const { credentials, print, told, pass } = await setUp();
    await print({ token: 'a', expirationTimestamp: '2026-01-01T00:10:00Z' });
    const both = await Promise.all([credentials.authorization(), credentials.authorization()]);
    expect(both).toEqual(['Bearer a', 'Bearer a']);
    await print({ token: 'b' });
    pass(599_000);
    expect(await credentials.authorization()).toBe('Bearer a');
    pass(1000);
    expect(await credentials.authorization()).toBe('Bearer b');
    expect(await told()).toHaveLength(2);
  });

  test('An exec plugin is run again when the server refuses its credentials, once for all requests', async () => {
    const { credentials, print, told } = await setUp();
    await print({ token: 'a' });
    await credentials.authorization();
    await print({ token: 'b' });
    await Promise.all([credentials.onUnauthorized('Bearer a'), credentials.onUnauthorized('Bearer a')]);
    await credentials.onUnauthorized('Bearer a');
    expect(await credentials.authorization()).toBe('Bearer b');
    expect(await told()).toHaveLength(2);
  });

  test('An exec plugin yields certificates, the same pair until it changes', async () => {
    const pair = createSelfSigned('plugin', { dnsNames: ['plugin'], ipAddresses: [] }, new Date());
    const { credentials, print } = await setUp();
    await print({ clientCertificateData: pair.certificate, clientKeyData: pair.key });
    const shown = await credentials.renewedPair();
    expect(shown).toEqual(pair);
    expect(await credentials.renewedPair()).toBe(shown);
    expect(await credentials.authorization()).toBeUndefined();
  });

  test.each([
    { name: 'nothing of the cluster', fields: {}, spec: { interactive: false } },
    {
      name: 'the cluster where it asks for it',
      fields: { provideClusterInfo: true },
      spec: { cluster: { server: 'https://c', config: { audience: 'x' } }, interactive: false },
    },
  ])('An exec plugin is told $name', async ({ fields, spec }) => {
    const { credentials, print, told } = await setUp({
      fields: { ...fields, args: ['--for', 'me'], env: [{ name: 'OWN', value: 'variable' }] },
    });
    await print({ token: 'a' });
    await credentials.authorization();
    const [info, own, args] = (await told())[0]!.split('|');
    expect(JSON.parse(info!)).toEqual({ kind: 'ExecCredential', apiVersion: v1, spec });
    expect([own, args]).toEqual(['variable', '--for me']);
  });

  test.each([
    { name: 'is told that it can ask', mode: 'IfAvailable', interactive: true },
    { name: 'is told that it cannot ask where it never does', mode: 'Never', interactive: false },
  ])('An exec plugin: $name at a terminal', async ({ mode, interactive }) => {
    const { credentials, print, told } = await setUp({
      fields: { interactiveMode: mode },
      options: { isInteractive: true },
    });
    await print({ token: 'a' });
    await credentials.authorization();
    expect(JSON.parse((await told())[0]!.split('|')[0]!).spec).toEqual({ interactive });
  });

  test('An exec plugin whose certificate is replaced is counted with ages and ends of certificates', async () => {
    const observer = new Observed();
    const { credentials, print, pass } = await setUp({ options: { observer } });
    for (const day of [0, 1]) {
      const from = new Date(start + day * dayMs);
      const pair = createSelfSigned('plugin', { dnsNames: ['plugin'], ipAddresses: [] }, from);
      const expirationTimestamp = new Date(start + (day + 1) * dayMs).toISOString();
      await print({ clientCertificateData: pair.certificate, clientKeyData: pair.key, expirationTimestamp });
      observer.expected = new X509Certificate(pair.certificate);
      await credentials.renewedPair();
      await credentials.renewedPair();
      pass(dayMs);
    }
    await print({ token: 'a' });
    observer.expected = undefined;
    await credentials.renewedPair();
    const ok = 'no_error 0';
    expect(observer.told).toEqual([ok, 'ends as it says', ok, 'rotated', 'ends as it says', ok, 'rotated', 'has none']);
    expect(observer.ages.map((ms) => Math.round(ms / dayMs))).toEqual([1, 1]);
  });

  test.each([
    { name: 'is not there', command: 'no-such-plugin', told: 'plugin_not_found_error 1' },
    { name: 'is no program', command: './answer', told: 'plugin_not_found_error 1' },
    { name: 'ends with code 3', command: './plugin', told: 'plugin_execution_error 3' },
  ])('An exec plugin that $name is counted as such', async ({ command, told }) => {
    const observer = new Observed();
    const { credentials, print, endWith } = await setUp({ fields: { command }, options: { observer } });
    await print({ token: 'a' });
    await endWith(3);
    await expect(credentials.authorization()).rejects.toThrow('exec plugin');
    expect(observer.told).toEqual([told]);
  });

  test('An exec plugin of v1beta1 asks where it can without saying so', async () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    const { credentials, print } = await setUp({ fields: { apiVersion, interactiveMode: undefined } });
    await print({ token: 'a' }, { apiVersion });
    expect(await credentials.authorization()).toBe('Bearer a');
  });

  test('An exec plugin that failed is run again for the next request', async () => {
    const { credentials, print, endWith } = await setUp();
    await print({ token: 'a' });
    await endWith(3);
    await expect(credentials.authorization()).rejects.toThrow('it ended with code 3');
    await endWith(0);
    expect(await credentials.authorization()).toBe('Bearer a');
  });

  test('An exec plugin that is not there is an error with its hint', async () => {
    const { credentials } = await setUp({ fields: { command: 'no-such-plugin', installHint: 'Install it.' } });
    await expect(credentials.authorization()).rejects.toThrow('exec plugin no-such-plugin: not found. Install it.');
  });

  test.each([
    { name: 'no JSON', text: 'hello', message: 'it printed something that is no JSON' },
    { name: 'more than a mebibyte', text: 'x'.repeat(2 ** 21), message: 'it printed more than 1 MiB' },
    { name: 'another kind', text: '{"kind":"Pod"}', message: 'it printed no ExecCredential' },
    {
      name: 'another version',
      text: '{"kind":"ExecCredential","apiVersion":"v2"}',
      message: 'it printed version "v2" instead of client.authentication.k8s.io/v1',
    },
    {
      name: 'no credentials',
      text: `{"kind":"ExecCredential","apiVersion":"${v1}","status":{}}`,
      message: 'it printed neither token nor certificate',
    },
    {
      name: 'a certificate without its key',
      text: `{"kind":"ExecCredential","apiVersion":"${v1}","status":{"clientCertificateData":"c"}}`,
      message: 'it printed only one of certificate and key',
    },
  ])('An exec plugin that prints $name is an error', async ({ text, message }) => {
    const { credentials, printText } = await setUp();
    await printText(text);
    await expect(credentials.authorization()).rejects.toThrow(message);
  });
});
