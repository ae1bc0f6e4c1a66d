import { expect, test } from 'vitest';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { schemas } from '../../api/schemas.ts';
import { alwaysAllow } from '../../auth/authorization/always-allow.ts';
import { pluginNames } from './plugin-names.ts';
import { createAdmissionPlugins } from './plugins.ts';
import { objectsOf } from './testing/attributes.ts';

const running = (enable: readonly string[], disable: readonly string[]): string[] =>
  createAdmissionPlugins({
    settings: { enable, disable, notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300, configuration: {} },
    registry: { storeOf: () => undefined },
    objects: objectsOf({}),
    authorizer: alwaysAllow,
    fieldManager: createFieldManager({ schemas }),
    now: () => new Date(),
    featureEnabled: () => true,
  }).map(({ name }) => name);

const here = pluginNames.filter((plugin) => plugin.here).map(({ name }) => name);
const usual = pluginNames.filter((plugin) => plugin.here && plugin.default).map(({ name }) => name);

test('The plugins of this server run in the order of their names', () => {
  expect(running([], [])).toEqual(usual);
  expect(usual).toEqual(here.filter((name) => !['ServiceAccount', 'NodeRestriction'].includes(name)));
  expect(here.length).toBeGreaterThan(10);
});

test('Flags take plugins out, and do not change the order', () => {
  expect(running([...here].reverse(), [])).toEqual(here);
  expect(running([], ['Priority', 'ServiceAccount'])).toEqual(usual.filter((name) => name !== 'Priority'));
});
