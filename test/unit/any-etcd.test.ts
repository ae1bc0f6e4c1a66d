import { describe, expect, test, vi } from 'vitest';
import { startAnyEtcd, type WayToEtcd } from '../support/any-etcd.ts';
import { engineIsNamed } from '../support/etcd-container.ts';

type Outcome = 'runs' | 'is absent' | 'fails';

const way = (name: string, outcome: Outcome): WayToEtcd => ({
  name,
  start: () => {
    if (outcome === 'fails') return Promise.reject(new Error(`no ${name}`));
    return Promise.resolve(
      outcome === 'is absent' ? undefined : { url: name, [Symbol.asyncDispose]: () => Promise.resolve() },
    );
  },
});

describe('which etcd is taken', () => {
  test.each<{ name: string; container: Outcome; path: Outcome; tools: Outcome; taken: string; lines: string[] }>([
    {
      name: 'a container, before all others',
      container: 'runs',
      path: 'runs',
      tools: 'runs',
      taken: 'container',
      lines: [],
    },
    {
      name: 'that on the PATH, without a word where there is no engine',
      container: 'is absent',
      path: 'runs',
      tools: 'runs',
      taken: 'path',
      lines: [],
    },
    {
      name: 'that among the tools, where nothing is installed',
      container: 'is absent',
      path: 'is absent',
      tools: 'runs',
      taken: 'tools',
      lines: [],
    },
    {
      name: 'the next one, with a line, where the engine cannot start it',
      container: 'fails',
      path: 'runs',
      tools: 'runs',
      taken: 'path',
      lines: ['etcd: container does not start: no container'],
    },
    {
      name: 'the last one, with two lines',
      container: 'fails',
      path: 'fails',
      tools: 'runs',
      taken: 'tools',
      lines: ['etcd: container does not start: no container', 'etcd: path does not start: no path'],
    },
  ])('Which etcd is taken: $name', async ({ container, path, tools, taken, lines }) => {
    const report = vi.fn<(line: string) => void>();
    const etcd = await startAnyEtcd([way('container', container), way('path', path), way('tools', tools)], report);
    expect(etcd.url).toBe(taken);
    expect(report.mock.calls.flat()).toEqual(lines);
  });

  test('A test without any etcd fails, and says what was missing last', async () => {
    await expect(startAnyEtcd([way('container', 'fails'), way('tools', 'fails')], () => undefined)).rejects.toThrow(
      'no tools',
    );
    await expect(startAnyEtcd([way('container', 'is absent')])).rejects.toThrow('there is no way to an etcd');
  });
});

describe('a Docker engine', () => {
  test.each([
    { name: 'is looked for at the usual socket', environment: {}, socket: '/', named: true },
    {
      name: 'is not asked where that socket is missing',
      environment: {},
      socket: '/nowhere/docker.sock',
      named: false,
    },
    {
      name: 'is not asked when DOCKER_HOST is empty and that socket is missing',
      environment: { DOCKER_HOST: '' },
      socket: '/nowhere/docker.sock',
      named: false,
    },
    {
      name: 'is asked at the socket of DOCKER_HOST',
      environment: { DOCKER_HOST: 'unix:///' },
      socket: '/nowhere/docker.sock',
      named: true,
    },
    {
      name: 'is not asked where the socket of DOCKER_HOST is missing',
      environment: { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      socket: '/',
      named: false,
    },
    {
      name: 'is asked at the address of DOCKER_HOST',
      environment: { DOCKER_HOST: 'tcp://engine.example:2375' },
      socket: '/nowhere/docker.sock',
      named: true,
    },
  ])('A Docker engine: $name', ({ environment, socket, named }) => {
    expect(engineIsNamed(environment, socket)).toBe(named);
  });
});
