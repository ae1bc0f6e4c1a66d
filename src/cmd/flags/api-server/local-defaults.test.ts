import { expect, test } from 'vitest';
import { runningPlugins } from '../../../apiserver/admission/plugin-names.ts';
import { localDefaultSections, withoutAccounts } from './local-defaults.ts';
import { parseWithoutOperands } from './options.ts';
import { apiServerFlags } from './table.ts';

const runs = (argv: readonly string[], isLocal: boolean): boolean => {
  const sections = isLocal ? { ...apiServerFlags, ...localDefaultSections } : apiServerFlags;
  const { options } = parseWithoutOperands('test', sections, argv);
  const { enablePlugins: enable, disablePlugins: disable } = (isLocal ? withoutAccounts(options) : options).admission;
  return runningPlugins({ enable, disable }).has('ServiceAccount');
};

test.each([
  { name: 'by default for orch apiserver, where controllers make accounts', argv: [], isLocal: false, expected: true },
  { name: 'not by default for an API server alone', argv: [], isLocal: true, expected: false },
  {
    name: 'for an API server alone that is told to',
    argv: ['--enable-admission-plugins=ServiceAccount'],
    isLocal: true,
    expected: true,
  },
  {
    name: 'not for an API server alone that is told about other plugins',
    argv: ['--disable-admission-plugins=Priority'],
    isLocal: true,
    expected: false,
  },
])('The plugin ServiceAccount runs $name', ({ argv, isLocal, expected }) => {
  expect(runs(argv, isLocal)).toBe(expected);
});

test.each([
  { name: 'one at a time by orch apiserver, as upstream', sections: apiServerFlags, workers: 1 },
  {
    name: 'sixteen at a time by an API server for this machine',
    sections: { ...apiServerFlags, ...localDefaultSections },
    workers: 16,
  },
])('Objects of a collection are deleted $name', ({ sections, workers }) => {
  const { options } = parseWithoutOperands('test', sections, []);
  expect(options.storage.deleteCollectionWorkers).toBe(workers);
});
