import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { serveAt, type ServiceHandlers, type ServiceServer } from '../../grpc/testing/service-server.ts';
import * as protocol from './gen/registration.ts';
import type { PluginHandler } from './plugin-handler.ts';
import { PluginRegistry } from './plugin-registry.ts';

async function folder(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-plugins-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function servePlugin(socket: string, info: protocol.PluginInfo, told: unknown[] = []): Promise<ServiceServer> {
  const handlers: ServiceHandlers<protocol.Methods> = {
    getInfo: () => info,
    notifyRegistrationStatus(status) {
      told.push(status);
      return {};
    },
  };
  const server = await serveAt(socket, [{ tables: protocol, handlers }]);
  onTestFinished(() => server.close());
  return server;
}

/** A registry whose handler for `CSIPlugin` writes down what it is asked. */
async function registryIn(directory: string, fails: Partial<Record<'validate' | 'register', string[]>> = {}) {
  const done: string[] = [];
  const step = (name: 'validate' | 'register', plugin: { name: string; endpoint: string }): void => {
    const failure = fails[name]?.shift();
    done.push(`${name} ${plugin.name} at ${path.basename(plugin.endpoint)}`);
    if (failure !== undefined) throw new Error(failure);
  };
  const handler: PluginHandler = {
    validate: (plugin) => step('validate', plugin),
    register: async (plugin) => step('register', plugin),
    deregister(name) {
      done.push(`deregister ${name}`);
      return Promise.resolve();
    },
  };
  const clock = new FakeClock();
  const registry = new PluginRegistry({
    directory,
    handlers: new Map([['CSIPlugin', handler]]),
    clock,
    log: silentLogger,
  });
  onTestFinished(() => registry.stop());
  return { registry, done, clock };
}

const csi = { type: 'CSIPlugin', name: 'a.test', supportedVersions: ['1.0.0'] };

describe('Plugins by their sockets', () => {
  test('A plugin is asked what it is, registered at its endpoint, and told', async () => {
    const directory = await folder();
    const told: unknown[] = [];
    await servePlugin(`${directory}/a-reg.sock`, { ...csi, endpoint: '/run/a.sock' }, told);
    const { registry, done } = await registryIn(directory);
    await registry.look();
    await expect.poll(() => told).toEqual([{ pluginRegistered: true }]);
    expect(done).toEqual(['validate a.test at a.sock', 'register a.test at a.sock']);
  });

  test('A plugin without an endpoint listens at the socket of its registration', async () => {
    const directory = await folder();
    const told: unknown[] = [];
    await servePlugin(`${directory}/below/a-reg.sock`, csi, told);
    const { registry, done } = await registryIn(directory);
    await registry.look();
    await expect.poll(() => told).toHaveLength(1);
    expect(done).toContain('register a.test at a-reg.sock');
  });

  test.each([
    {
      name: 'has an unknown type',
      info: { ...csi, type: 'Other' },
      fails: {},
      error: /^RegisterPlugin error -- no handler registered for plugin type: Other at socket \/.*a\.sock$/,
    },
    {
      name: 'is not valid',
      info: csi,
      fails: { validate: ['no version'] },
      error: /^RegisterPlugin error -- plugin validation failed with err: no version$/,
    },
    {
      name: 'cannot be used',
      info: csi,
      fails: { register: ['it hangs'] },
      error: /^RegisterPlugin error -- plugin registration failed with err: it hangs$/,
    },
  ])('A plugin that $name is told why', async ({ info, fails, error }) => {
    const directory = await folder();
    const told: protocol.RegistrationStatus[] = [];
    await servePlugin(`${directory}/a.sock`, info, told);
    const { registry } = await registryIn(directory, fails);
    await registry.look();
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]!.pluginRegistered ?? false).toBe(false);
    expect(told[0]!.error).toMatch(error);
  });

  test('A registration that failed is tried again after half a second', async () => {
    const directory = await folder();
    const told: protocol.RegistrationStatus[] = [];
    await servePlugin(`${directory}/a.sock`, csi, told);
    const { registry, clock, done } = await registryIn(directory, { register: ['not yet'] });
    await registry.look();
    await expect.poll(() => told).toHaveLength(1);
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(500);
    await expect.poll(() => told).toHaveLength(2);
    expect(told[1]).toEqual({ pluginRegistered: true });
    expect(done.filter((step) => step.startsWith('register'))).toHaveLength(2);
  });

  test('A socket that is gone takes its plugin away, and one in its place is another plugin', async () => {
    const directory = await folder();
    const told: unknown[] = [];
    const first = await servePlugin(`${directory}/a.sock`, csi, told);
    const { registry, done } = await registryIn(directory);
    await registry.look();
    await expect.poll(() => told).toHaveLength(1);
    await first.close();
    await servePlugin(`${directory}/a.sock`, { ...csi, name: 'b.test' }, told);
    await registry.look();
    await expect.poll(() => told).toHaveLength(2);
    expect(done.slice(2)).toEqual(['deregister a.test', 'validate b.test at a.sock', 'register b.test at a.sock']);
  });

  test('Files and hidden sockets are no plugins', async () => {
    const directory = await folder();
    await writeFile(`${directory}/a`, '');
    await servePlugin(`${directory}/.hidden.sock`, csi);
    const { registry, done } = await registryIn(directory);
    await registry.look();
    await registry.stop();
    expect(done).toEqual([]);
  });

  test('A plugin that does not answer does not hold up another one', async () => {
    const directory = await folder();
    const told: unknown[] = [];
    const hangs: ServiceHandlers<protocol.Methods> = { getInfo: () => new Promise(() => undefined) };
    const server = await serveAt(`${directory}/a.sock`, [{ tables: protocol, handlers: hangs }]);
    onTestFinished(() => server.close());
    await servePlugin(`${directory}/b.sock`, csi, told);
    const { registry } = await registryIn(directory);
    await registry.look();
    await expect.poll(() => told).toEqual([{ pluginRegistered: true }]);
  });
});
