import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../../test/support/shared.ts';
import type { Flag } from '../flag.ts';
import { flagsOf } from '../parse.ts';
import { apiServerFlags } from './table.ts';
import { namesOf, repeatedNames, unexplained } from '../testing/table-checks.ts';

const flags = flagsOf(apiServerFlags);
const byName = new Map<string, Flag>(flags.map((flag) => [flag.name, flag]));

describe('the table of API server flags', () => {
  test('The table of API server flags has no name twice, aliases included', () => {
    expect(repeatedNames(apiServerFlags)).toEqual([]);
  });

  test('The table of API server flags explains each flag in a sentence, and every one stands in the help', () => {
    expect(unexplained(apiServerFlags)).toEqual([]);
  });

  test('The table of API server flags has none that is refused', () => {
    expect(namesOf(apiServerFlags, 'unsupported')).toEqual([]);
  });

  test('The table of API server flags takes exactly these without any effect', () => {
    expect(namesOf(apiServerFlags, 'ignored')).toEqual([
      'cloud-config',
      'cloud-provider',
      'default-watch-cache-size',
      'nodeagent-read-only-port',
      'vmodule',
    ]);
  });
});

describe.skipIf(!hasShared('spec/components.md'))(
  'equal to the specification (skipped where spec/components.md is absent)',
  () => {
    const spec = hasShared('spec/components.md') ? readFileSync(sharedPath('spec/components.md'), 'utf8') : '';
    const apiServer = between(spec, 'API server (type; default):', 'Audit options (API server)');
    const audit = between(spec, 'Audit options (API server)', 'Controller manager (type; default):');

    test('API server flags have every option that the specification names', () => {
      // `--oidc-*` and `--cloud-provider-*` are families: the first is written out elsewhere, the second left out on
      // purpose.
      const named = [...apiServer.matchAll(/`(--?[a-z0-9-]+)`/g)].map(([, name]) => name!.replace(/^-+/, ''));
      const missing = new Set(named.filter((name) => !byName.has(name)));
      expect([...missing]).toEqual([]);
      expect(new Set(named).size).toBeGreaterThan(120);
    });

    test('API server flags have every audit option of the specification, for both backends where it says so', () => {
      const [both, rest] = [between(audit, 'Prefixes', 'Log only:'), audit.slice(audit.indexOf('Log only:'))];
      const shared = [...both.matchAll(/`((?:batch|truncate)-[a-z-]+|mode|version)`/g)].flatMap(([, name]) => [
        `audit-log-${name}`,
        `audit-webhook-${name}`,
      ]);
      const single = [...rest.matchAll(/`--(audit-[a-z-]+)`/g)].map(([, name]) => name!);
      expect([...shared, ...single].filter((name) => !byName.has(name))).toEqual([]);
      expect([shared.length, single.length]).toEqual([22, 9]);
    });

    test('API server flags have the defaults that the specification states', () => {
      const stated = [
        ...apiServer.matchAll(/`--([a-z0-9-]+)` (?:int (?:seconds )?)?(`[^`]+`|\d[0-9a-z]*(?:\.\d+)?|true|false)/g),
      ];
      const differ = stated.filter(([, name, value]) => !sameDefault(byName.get(name!)!, value!.replaceAll('`', '')));
      expect(differ.map(([text]) => text)).toEqual([]);
      expect(stated.length).toBeGreaterThan(40);
    });
  },
);

function between(text: string, from: string, to: string): string {
  return text.slice(text.indexOf(from), text.indexOf(to));
}

function sameDefault(flag: Flag, stated: string): boolean {
  if (flag.name === 'storage-backend') return stated === 'etcd3'; // its only value, which goes without saying
  // Names with the product's word in them are stored and shown in their canonical spelling.
  const value = stated.replace('vnd.orch.', 'vnd.kubernetes.');
  return isDeepStrictEqual(flag.default, flag.parse(value, undefined));
}
