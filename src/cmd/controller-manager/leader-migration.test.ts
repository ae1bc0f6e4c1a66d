import { describe, expect, test } from 'vitest';
import { parseMigration, readMigration } from './leader-migration.ts';

const document = (more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'controllermanager.config.k8s.io/v1',
    kind: 'LeaderMigrationConfiguration',
    leaderName: 'cloud-provider-extraction-migration',
    controllerLeaders: [
      { name: 'route', component: 'kube-controller-manager' },
      { name: 'service-lb-controller', component: 'cloud-controller-manager' },
      { name: 'nodeipam', component: '*' },
    ],
    ...more,
  });

describe('a LeaderMigrationConfiguration', () => {
  test.each([
    { controller: 'node-route-controller', place: 'migration' },
    { controller: 'service-lb-controller', place: 'elsewhere' },
    { controller: 'node-ipam-controller', place: 'migration' },
    { controller: 'deployment-controller', place: 'main' },
  ])('A LeaderMigrationConfiguration: $controller is run: $place', ({ controller, place }) => {
    expect(parseMigration(document()).placeOf(controller)).toBe(place);
  });

  test.each([
    { resourceLock: undefined, kind: 'leases' },
    { resourceLock: 'leases', kind: 'leases' },
    { resourceLock: 'endpoints', kind: 'endpointsleases' },
  ])('A LeaderMigrationConfiguration has a lock of kind $kind for $resourceLock', ({ resourceLock, kind }) => {
    expect(parseMigration(document({ resourceLock }))).toMatchObject({
      leaderName: 'cloud-provider-extraction-migration',
      resourceLock: kind,
    });
  });

  test.each([
    { more: { kind: 'Other' }, says: 'unexpected config type: controllermanager.config.k8s.io/v1, Kind=Other' },
    { more: { apiVersion: 'v1' }, says: 'unexpected config type: v1' },
    { more: { leaderName: '' }, says: 'leaderName: Required value' },
    { more: { resourceLock: 'x' }, says: 'resourceLock: Invalid value: "x": resource Lock must be one of' },
    { more: { controllerLeaders: [{ name: 'a' }] }, says: 'controllerLeaders[0].component: Required value' },
    { more: { controllerLeaders: [{ component: '*' }] }, says: 'controllerLeaders[0].name: Required value' },
  ])('A LeaderMigrationConfiguration is refused with $more', ({ more, says }) => {
    expect(() => parseMigration(document(more))).toThrow(says);
  });

  test('A LeaderMigrationConfiguration is not read where the migration is off', async () => {
    expect(await readMigration({ isEnabled: false, configFile: '/nonexistent' })).toBeUndefined();
    await expect(readMigration({ isEnabled: true, configFile: '/nonexistent' })).rejects.toThrow(
      '--leader-migration-config: open /nonexistent: no such file or directory',
    );
  });
});
