/** Which group versions are answered elsewhere, by the APIServices in a real store. */
import { describe, expect, test } from 'vitest';
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { ApiServices } from './api-services.ts';
import { openApiServices } from './testing/stored-api-services.ts';

const name = 'v1.metrics.example.com';
const apiVersion = 'metrics.example.com/v1';
const local = { group: 'metrics.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 15 };
const remote = (service = 'a'): object => ({ ...local, service: { namespace: 'default', name: service } });

const shown = (object: APIService | undefined): string | undefined =>
  object === undefined ? undefined : (object.spec.service?.name ?? 'local');

describe('a group version', () => {
  test.each<{ name: string; changes: readonly (object | undefined)[]; service?: string; isStored?: boolean }>([
    { name: 'without an APIService is answered here', changes: [], isStored: false },
    { name: 'whose APIService names no service is answered here', changes: [local] },
    { name: 'whose APIService names a service is answered there', changes: [remote()], service: 'a' },
    {
      name: 'whose APIService has another service now is answered by that',
      changes: [remote(), remote('b')],
      service: 'b',
    },
    { name: 'whose APIService has a service now is answered there', changes: [local, remote()], service: 'a' },
    { name: 'whose APIService has no service any more is answered here', changes: [remote(), local] },
    { name: 'whose APIService was deleted is answered here', changes: [remote(), undefined], isStored: false },
    {
      name: 'whose APIService was deleted and made again is answered there',
      changes: [remote(), undefined, remote('b')],
      service: 'b',
    },
  ])('A group version: $name', async ({ changes, service, isStored = true }) => {
    const { services, change } = await openApiServices();
    services.start();
    await services.known();
    for (const spec of changes) await change(name, spec);
    expect(services.remote(apiVersion)?.service.name).toBe(service);
    expect(services.hasRemotes).toBe(service !== undefined);
    expect([...services.remotes].map((api) => api.name)).toEqual(service === undefined ? [] : [name]);
    expect(services.get(name) !== undefined).toBe(isStored);
  });

  test('A group version is answered elsewhere or here apart from other versions of its group', async () => {
    const { services, change } = await openApiServices();
    services.start();
    await change('v1beta1.metrics.example.com', { ...remote('b'), version: 'v1beta1' });
    await change(name, remote());
    await change(name, undefined);
    expect(services.remote(apiVersion)).toBeUndefined();
    expect(services.remote('metrics.example.com/v1beta1')?.service.name).toBe('b');
  });
});

describe('listeners', () => {
  test('Listeners of APIServices are told before and after each change, with the answers of after it', async () => {
    const { services, change } = await openApiServices();
    const told: unknown[] = [];
    services.onChange((of, before, after) =>
      told.push([of, shown(before), shown(after), services.remote(apiVersion)?.service.name]),
    );
    services.start();
    for (const spec of [local, remote(), remote('b'), undefined]) await change(name, spec);
    expect(told).toEqual([
      [name, undefined, 'local', undefined],
      [name, 'local', 'a', 'a'],
      [name, 'a', 'b', 'b'],
      [name, 'b', undefined, undefined],
    ]);
  });

  test('Listeners of APIServices are told of what is there before the APIServices are known', async () => {
    const { services, store } = await openApiServices();
    await store(name, remote());
    const told: unknown[] = [];
    services.onChange((of, before, after) => told.push([of, shown(before), shown(after)]));
    expect(services.isKnown).toBe(false);
    services.start();
    await services.known();
    expect(services.isKnown).toBe(true);
    expect(told).toEqual([[name, undefined, 'a']]);
  });
});

test('Where APIServices are not served, everything is known and answered here', async () => {
  const services = new ApiServices(undefined, silentLogger);
  services.start();
  await services.known();
  expect([services.isKnown, services.hasRemotes, services.get(name)]).toEqual([true, false, undefined]);
  await services.stop();
});
