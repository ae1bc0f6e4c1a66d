import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { CredentialProviders } from './credential-providers.ts';
import { askProvider, parseAnswer, type ProvidedCredentials } from './exec-provider.ts';
import { fitsImage, repositoryOf } from './match-image.ts';
import { type CredentialProvider, readProviderConfig } from './provider-config.ts';

describe('Credentials and the images they are for', () => {
  test.each([
    { pattern: 'registry.test', image: 'registry.test/a/b', fits: true },
    { pattern: 'registry.test/a', image: 'registry.test/a/b', fits: true },
    { pattern: 'registry.test/a', image: 'registry.test/ab', fits: false },
    { pattern: '*.registry.test', image: 'a.registry.test/b', fits: true },
    { pattern: '*.registry.test', image: 'a.b.registry.test/b', fits: false },
    { pattern: 'eu*.test', image: 'eu-west.test/b', fits: true },
    { pattern: '*-x*y.test', image: 'a-x-by.test/b', fits: true },
    { pattern: '*-x*y.test', image: 'a-xb.test/b', fits: false },
    { pattern: 'registry.test:5000', image: 'registry.test/b', fits: false },
    { pattern: 'registry.test:5000', image: 'registry.test:5000/b', fits: true },
    { pattern: 'docker.io', image: 'busybox', fits: true },
    { pattern: 'index.docker.io', image: 'library/busybox', fits: true },
  ])('Credentials of $pattern are for the image $image: $fits', ({ pattern, image, fits }) => {
    expect(fitsImage(pattern, image)).toBe(fits);
  });

  test.each([
    { image: 'busybox', repository: 'docker.io/library/busybox' },
    { image: 'a/b:1', repository: 'docker.io/a/b' },
    { image: 'registry.test:5000/a/b:1@sha256:00', repository: 'registry.test:5000/a/b' },
    { image: 'localhost/a', repository: 'localhost/a' },
  ])('The repository of the image $image is $repository', ({ image, repository }) => {
    expect(repositoryOf(image)).toBe(repository);
  });
});

const provider = {
  name: 'p',
  matchImages: ['*.test'],
  defaultCacheDuration: '1m',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
};
const document = (providers: unknown, apiVersion = 'kubelet.config.k8s.io/v1'): string =>
  JSON.stringify({ kind: 'CredentialProviderConfig', apiVersion, providers });

describe('The document that names providers of credentials', () => {
  test.each(['v1', 'v1beta1', 'v1alpha1'])('A document of version %s is read', (version) => {
    const written = { ...provider, args: ['-x'], env: [{ name: 'A', value: 'b' }] };
    expect(readProviderConfig(document([written], `kubelet.config.k8s.io/${version}`), '/bin')).toEqual([
      {
        name: 'p',
        program: '/bin/p',
        matchImages: ['*.test'],
        defaultCacheMs: 60_000,
        apiVersion: provider.apiVersion,
        args: ['-x'],
        env: { A: 'b' },
      },
    ]);
  });

  test.each([
    { name: 'no providers', providers: [], error: 'providers: Required value: at least 1 item in plugins is required' },
    { name: 'a path', providers: [{ ...provider, name: 'a/b' }], error: "provider name cannot contain '/'" },
    { name: 'a blank', providers: [{ ...provider, name: 'a b' }], error: 'provider name cannot contain spaces' },
    { name: 'a folder', providers: [{ ...provider, name: '..' }], error: "provider name cannot be '..'" },
    { name: 'two of a name', providers: [provider, provider], error: 'providers[1].name: Duplicate value: "p"' },
    {
      name: 'no images',
      providers: [{ ...provider, matchImages: [] }],
      error: 'providers[0].matchImages: Required value: at least 1 item in matchImages is required',
    },
    {
      name: 'a URL',
      providers: [{ ...provider, matchImages: ['https://a.test'] }],
      error: 'providers[0].matchImages[0]: Invalid value: "https://a.test": match image is invalid',
    },
    {
      name: 'a negative time',
      providers: [{ ...provider, defaultCacheDuration: '-1s' }],
      error: 'providers[0].defaultCacheDuration: Invalid value',
    },
    {
      name: 'an unknown version',
      providers: [{ ...provider, apiVersion: 'v9' }],
      error: 'providers[0].apiVersion: Unsupported value: "v9"',
    },
    { name: 'an unknown field', providers: [{ ...provider, more: 1 }], error: 'providers[0].more: Forbidden: unknown' },
  ])('A document with $name is refused', ({ providers, error }) => {
    expect(() => readProviderConfig(document(providers), '/bin')).toThrow(error);
  });
});

const [known] = readProviderConfig(document([provider]), '/bin') as [CredentialProvider];

describe('What a provider answers', () => {
  const answer = (more: object): string =>
    JSON.stringify({
      kind: 'CredentialProviderResponse',
      apiVersion: provider.apiVersion,
      cacheKeyType: 'Image',
      auth: { 'a.test': { username: 'u', password: 'p' } },
      ...more,
    });
  test.each([
    { name: 'no JSON', text: 'x', error: 'is no JSON' },
    { name: 'another kind', text: answer({ kind: 'X' }), error: 'kind is "X"' },
    {
      name: 'another version',
      text: answer({ apiVersion: 'v0' }),
      error:
        'apiVersion from credential plugin response did not match expected ' +
        'apiVersion:credentialprovider.kubelet.k8s.io/v1, actual apiVersion:v0',
    },
    {
      name: 'another cache',
      text: answer({ cacheKeyType: 'All' }),
      error: 'did not return a valid cacheKeyType: "All"',
    },
  ])('An answer with $name is refused', ({ text, error }) => {
    expect(() => parseAnswer(text, provider.apiVersion)).toThrow(error);
  });

  const programOf = async (script: string): Promise<CredentialProvider> => {
    const folder = await mkdtemp(`${tmpdir()}/orch-provider-`);
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = `${folder}/p`;
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o755);
    return { ...known, program, args: ['x'], env: { WHO: 'me' } };
  };
  const environment = { PATH: process.env['PATH'] };

  test('A program gets its request, its arguments and its environment', async () => {
    const program = await programOf(
      `read r; case "$r" in *'"image":"a.test/b"'*) ;; *) exit 9;; esac; [ "$1$WHO" = xme ] || exit 8\n` +
        `echo '${answer({ cacheDuration: '10s' })}'`,
    );
    const provided = await askProvider(program, 'a.test/b', { environment, timeoutMs: 30_000 });
    expect(provided).toEqual({
      cacheKeyType: 'Image',
      cacheMs: 10_000,
      auth: new Map([['a.test', { username: 'u', password: 'p' }]]),
    });
  });

  test.each([
    { name: 'fails', script: 'exit 3', timeoutMs: 30_000, error: 'plugin p: exit status 3' },
    { name: 'hangs', script: 'exec sleep 100', timeoutMs: 10, error: 'plugin p: it did not answer within 0.01 s' },
    { name: 'says too much', script: 'cat /dev/zero', timeoutMs: 30_000, error: 'more than 1048576 bytes' },
  ])('A program that $name is an error', async ({ script, timeoutMs, error }) => {
    await expect(askProvider(await programOf(script), 'a.test/b', { environment, timeoutMs })).rejects.toThrow(error);
  });

  test('A program that is not there is an error', async () => {
    await expect(askProvider(known, 'a.test/b', { environment, timeoutMs: 1000 })).rejects.toThrow('ENOENT');
  });
});

describe('Credentials that providers gave are kept', () => {
  function asking(given: Partial<ProvidedCredentials>) {
    const asked: string[] = [];
    const clock = new FakeClock();
    const providers = new CredentialProviders({
      providers: [known],
      ask(_, repository) {
        asked.push(repository);
        const auth = new Map([
          ['a.test', { username: 'general', password: '' }],
          ['a.test/x', { username: 'exact', password: '' }],
        ]);
        return Promise.resolve({ cacheKeyType: 'Image', cacheMs: undefined, auth, ...given });
      },
      clock,
      log: silentLogger,
    });
    return { providers, asked, clock };
  }

  test.each([
    { type: 'Image', asked: ['a.test/x', 'a.test/y', 'b.test/x'] },
    { type: 'Registry', asked: ['a.test/x', 'b.test/x'] },
    { type: 'Global', asked: ['a.test/x'] },
  ] as const)('Credentials of type $type are asked for once for what they are for', async ({ type, asked }) => {
    const node = asking({ cacheKeyType: type });
    for (const image of ['a.test/x:1', 'a.test/x:2', 'a.test/y', 'b.test/x'])
      await node.providers.credentialsFor(image);
    expect(node.asked).toEqual(asked);
  });

  test('Credentials are asked for again when their time is over', async () => {
    const { providers, asked, clock } = asking({});
    await providers.credentialsFor('a.test/x');
    await clock.advance(59_999);
    await providers.credentialsFor('a.test/x');
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await providers.credentialsFor('a.test/x');
    expect(asked).toHaveLength(2);
  });

  test('Credentials without a time are not kept, and pods that ask at once share the program', async () => {
    const { providers, asked } = asking({ cacheMs: 0 });
    await Promise.all([providers.credentialsFor('a.test/x'), providers.credentialsFor('a.test/x:2')]);
    expect(asked).toHaveLength(1);
    await providers.credentialsFor('a.test/x');
    expect(asked).toHaveLength(2);
  });

  test('The most exact credentials come first, and those for others are left out', async () => {
    const { providers } = asking({});
    expect((await providers.credentialsFor('a.test/x')).map(({ username }) => username)).toEqual(['exact', 'general']);
    expect((await providers.credentialsFor('a.test/y')).map(({ username }) => username)).toEqual(['general']);
  });

  test('A provider is not asked for images of others, and one that fails has no credentials', async () => {
    const { providers, asked } = asking({});
    expect(await providers.credentialsFor('registry.example/x')).toEqual([]);
    expect(asked).toEqual([]);
    const failing = new CredentialProviders({
      providers: [known],
      ask: () => Promise.reject(new Error('away')),
      clock: new FakeClock(),
      log: silentLogger,
    });
    expect(await failing.credentialsFor('a.test/x')).toEqual([]);
  });
});
