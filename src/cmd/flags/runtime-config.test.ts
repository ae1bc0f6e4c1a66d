import { describe, expect, test } from 'vitest';
import { groupVersions } from '../../api/resources.ts';
import { runtimeConfig, runtimeConfigProblems, runtimeConfigWarnings, servedVersions } from './runtime-config.ts';

const flag = runtimeConfig('runtime-config', 'supported', { help: 'APIs.' });
const read = (text: string) => flag.parse(text, undefined);
const served = (text: string): string[] =>
  servedVersions(read(text), groupVersions).map(({ apiVersion }) => apiVersion);
const byDefault = groupVersions.filter(({ enabledByDefault }) => enabledByDefault).map(({ apiVersion }) => apiVersion);
const all = groupVersions.map(({ apiVersion }) => apiVersion);
const isAlpha = (apiVersion: string): boolean => /alpha\d+$/.test(apiVersion);
const isBeta = (apiVersion: string): boolean => /beta\d+$/.test(apiVersion);

describe('--runtime-config', () => {
  test.each([
    { name: 'nothing: the defaults', config: '', versions: byDefault },
    { name: 'everything', config: 'api/all=true', versions: all },
    { name: 'a key without a value switches on', config: 'api/all', versions: all },
    {
      name: 'beta',
      config: 'api/beta=true',
      versions: all.filter((version) => byDefault.includes(version) || isBeta(version)),
    },
    {
      name: 'the more exact maturity decides',
      config: 'api/alpha=false,api/all=true',
      versions: all.filter((version) => !isAlpha(version)),
    },
    {
      name: 'one version on',
      config: 'resource.k8s.io/v1beta1=true',
      versions: all.filter((version) => byDefault.includes(version) || version === 'resource.k8s.io/v1beta1'),
    },
    {
      name: 'one version off against its maturity',
      config: 'apps/v1=false,api/ga=true',
      versions: byDefault.filter((version) => version !== 'apps/v1'),
    },
    {
      name: 'the core group by its version',
      config: 'v1=false',
      versions: byDefault.filter((version) => version !== 'v1'),
    },
    {
      name: 'the core group by its path',
      config: 'api/v1=false',
      versions: byDefault.filter((version) => version !== 'v1'),
    },
  ])('--runtime-config: $name', ({ config, versions }) => {
    expect(served(config)).toEqual(versions);
  });

  const resources = (text: string, apiVersion: string) =>
    servedVersions(read(text), groupVersions)
      .find((info) => info.apiVersion === apiVersion)
      ?.resources.map(({ name }) => name);

  test.each([
    {
      name: 'one resource off',
      config: 'policy/v1/poddisruptionbudgets=false',
      apiVersion: 'policy/v1',
      left: undefined,
    },
    { name: 'one resource of several off', config: 'batch/v1/jobs=false', apiVersion: 'batch/v1', left: ['cronjobs'] },
    {
      name: 'one resource of a version that is off',
      config: 'apps/v1=false,apps/v1/deployments=true',
      apiVersion: 'apps/v1',
      left: ['deployments'],
    },
    { name: 'one resource of the core group', config: 'v1=false,v1/secrets=true', apiVersion: 'v1', left: ['secrets'] },
  ])('--runtime-config: $name', ({ config, apiVersion, left }) => {
    expect(resources(config, apiVersion)).toEqual(left);
  });

  test.each([
    { text: 'foo', problems: ['runtime-config invalid key foo'] },
    { text: 'a/b/c/d=true', problems: ['runtime-config invalid key a/b/c/d'] },
    { text: 'foo/v9=true', problems: ['unknown api groups foo'] },
    { text: 'api/foo=true', problems: ['unknown api groups api'] },
    { text: 'apps/v9=true', problems: ['group version apps/v9 that has not been registered'] },
    {
      text: 'apps/v1=maybe',
      problems: ['invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    },
    { text: 'api/all=maybe', problems: ['invalid value api/all=maybe'] },
    { text: 'api/alpha=1', problems: ['invalid value api/alpha=1'] },
    { text: 'api/all=false', problems: ['invalid key with only api/all=false'] },
    { text: 'api/all=false,apps/v1=true', problems: [] },
    {
      text: 'foo,apps/v9=true',
      problems: ['runtime-config invalid key foo', 'group version apps/v9 that has not been registered'],
    },
    { text: 'apps/v1/deployments=false', problems: [] },
  ])('--runtime-config is validated: $text', ({ text, problems }) => {
    expect(runtimeConfigProblems(read(text), groupVersions)).toEqual(problems);
  });

  test('The flag --runtime-config warns of a resource that does not exist', () => {
    expect(
      runtimeConfigWarnings(read('apps/v1/foos=true,apps/v1/deployments=true,api/all=true'), groupVersions),
    ).toEqual(['ignoring invalid key apps/v1/foos in --runtime-config: there is no such resource']);
  });
});
