import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../../test/support/shared.ts';
import type { Flag } from '../flag.ts';
import { flagsOf } from '../parse.ts';
import { controllerManagerFlags } from './table.ts';
import { namesOf, repeatedNames, unexplained } from '../testing/table-checks.ts';

const flags = flagsOf(controllerManagerFlags);
const byName = new Map<string, Flag>(
  flags.flatMap((flag) => [flag.name, ...flag.aliases].map((name): [string, Flag] => [name, flag])),
);

describe('the table of controller manager flags', () => {
  test('The table of controller manager flags has no name twice, aliases included', () => {
    expect(repeatedNames(controllerManagerFlags)).toEqual([]);
  });

  test('The table of controller manager flags has a sentence for each flag, and all are in the help', () => {
    expect(unexplained(controllerManagerFlags)).toEqual([]);
  });

  test('The table of controller manager flags refuses none', () => {
    expect(namesOf(controllerManagerFlags, 'unsupported')).toEqual([]);
  });

  test('The table of controller manager flags takes exactly these without any effect', () => {
    expect(namesOf(controllerManagerFlags, 'ignored')).toEqual([
      'allow-untagged-cloud',
      'cloud-config',
      'cloud-provider',
      'cluster-name',
      'concurrent-service-syncs',
      'configure-cloud-routes',
      'external-cloud-volume-plugin',
      'flex-volume-plugin-dir',
      'horizontal-pod-autoscaler-downscale-delay',
      'horizontal-pod-autoscaler-upscale-delay',
      'horizontal-pod-autoscaler-use-rest-clients',
      'node-status-update-frequency',
      'node-sync-period',
      'route-reconciliation-period',
      'vmodule',
      'volume-host-allow-local-loopback',
      'volume-host-cidr-denylist',
    ]);
  });
});

describe.skipIf(!hasShared('spec/components.md'))(
  'equal to the specification (skipped where spec/components.md is absent)',
  () => {
    const spec = hasShared('spec/components.md') ? readFileSync(sharedPath('spec/components.md'), 'utf8') : '';
    const start = spec.indexOf('Controller manager (type; default):');
    const text = spec.slice(start, spec.indexOf('Node agent options (', start));

    test('Controller manager flags have every option that the specification names', () => {
      const named = [...text.matchAll(/`(--?[a-z0-9-]+[a-z0-9])`/g)].map(([, name]) => name!.replace(/^-+/, ''));
      // `-foo` is how a controller is switched off; the options of the autoscaler have their beginning in the first.
      const missing = named.filter(
        (name) => !byName.has(name) && !byName.has(`horizontal-pod-autoscaler-${name}`) && name !== 'foo',
      );
      expect(missing).toEqual([]);
      expect(new Set(named).size).toBeGreaterThan(60);
    });

    test('Controller manager flags have the stated defaults, but for one that 1.32 has changed', () => {
      const stated = [...text.matchAll(/`--([a-z0-9-]+)` (`[^`]+`|\d[0-9a-z]*(?:\.\d+)?|true|false)(?=[;,. ])/g)];
      const differ = stated.filter(([, name, value]) => !sameDefault(byName.get(name!)!, value!.replaceAll('`', '')));
      expect(differ.map(([match]) => match)).toEqual([
        '`--node-cidr-mask-size-ipv4` 24',
        '`--node-cidr-mask-size-ipv6` 64',
        '`--node-monitor-grace-period` 40s',
      ]);
      expect(stated.length).toBeGreaterThan(30);
    });
  },
);

describe.skipIf(!hasShared('facts/controllers.json'))(
  'equal to the flags of 1.32 (skipped where facts/controllers.json is absent)',
  () => {
    const { settings } = hasShared('facts/controllers.json')
      ? (JSON.parse(readFileSync(sharedPath('facts/controllers.json'), 'utf8')) as {
          settings: Record<string, string | number | boolean>;
        })
      : { settings: {} };

    test.each(Object.entries(settings))('%s has the default %s', (written, value) => {
      const flag = byName.get(written.slice(2))!;
      expect(flag).toBeDefined();
      expect(sameDefault(flag, String(value))).toBe(true);
    });
  },
);

function sameDefault(flag: Flag, stated: string): boolean {
  // Names with the product's word in them are shown in their canonical spelling.
  const value = stated
    .replace('vnd.orch.', 'vnd.kubernetes.')
    .replace(/^orch$/, flag.name === 'cluster-name' ? 'kubernetes' : 'orch');
  return isDeepStrictEqual(flag.default, flag.parse(value, undefined));
}
