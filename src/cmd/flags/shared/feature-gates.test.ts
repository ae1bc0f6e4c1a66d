import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { FEATURE_GATES } from '../../../api/feature-gates.ts';
import {
  expandGates,
  featureGates as flag,
  featureGatesFlag,
  gateWarnings,
  knownGates,
  nodeGates,
} from './feature-gates.ts';

const alphaGates = Object.entries(FEATURE_GATES)
  .filter(([, { stage }]) => stage === 'alpha')
  .map(([name]) => name);

const isRefused = (gate: string): boolean => {
  try {
    flag.parse(`${gate}=${!FEATURE_GATES[gate]!.default}`, undefined);
    return false;
  } catch (error) {
    return (error as Error).message.includes('not supported by this version');
  }
};

/** What is written by hand, without tests and without the tables that only list the gates. */
async function readSources(directory: URL): Promise<string> {
  const files = (await readdir(directory, { recursive: true })).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$|(^|\/)gen\/|feature-gates\.ts$/.test(file),
  );
  return (await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')))).join('\n');
}

describe('--feature-gates', () => {
  test.each([
    { name: 'one gate', texts: ['ImageVolume=true'], settings: { ImageVolume: true } },
    {
      name: 'several, with spaces and empty items',
      texts: [' ImageVolume = true ,, SidecarContainers=0'],
      settings: { ImageVolume: true, SidecarContainers: false },
    },
    {
      name: 'repeated flags, the later deciding',
      texts: ['ImageVolume=true', 'ImageVolume=false,AllBeta=false'],
      settings: { ImageVolume: false, AllBeta: false },
    },
    { name: 'the component in front', texts: ['kube:ImageVolume=true'], settings: { ImageVolume: true } },
    { name: 'a locked gate at its value', texts: ['ElasticIndexedJob=true'], settings: { ElasticIndexedJob: true } },
  ])('--feature-gates reads $name', ({ texts, settings }) => {
    expect(
      texts.reduce<ReturnType<typeof flag.parse> | undefined>((before, text) => flag.parse(text, before), undefined),
    ).toEqual(settings);
  });

  test.each([
    { text: 'Foo=true', message: 'unrecognized feature gate: Foo' },
    { text: 'toString=true', message: 'unrecognized feature gate: toString' },
    { text: 'ImageVolume', message: 'missing bool value for ImageVolume' },
    {
      text: 'ImageVolume=x',
      message: 'invalid value of ImageVolume=x, err: strconv.ParseBool: parsing "x": invalid syntax',
    },
    { text: 'AllAlpha=x', message: 'invalid value of AllAlpha=x, err: strconv.ParseBool: parsing "x": invalid syntax' },
    {
      text: 'ElasticIndexedJob=false',
      message: 'cannot set feature gate ElasticIndexedJob to false, feature is locked to true',
    },
  ])('--feature-gates refuses $text', ({ text, message }) => {
    expect(() => flag.parse(text, undefined)).toThrow(message);
  });

  test('--feature-gates refuses a gate that would change nothing, of which a node agent has some', () => {
    const ofNodes = featureGatesFlag(nodeGates);
    const gate = 'UserNamespacesSupport';
    expect(() => ofNodes.parse(`${gate}=true`, undefined)).toThrow(
      `feature gate ${gate}=true is not supported by this version yet`,
    );
    expect(ofNodes.parse(`${gate}=false`, undefined)).toEqual({ [gate]: false });
    expect(flag.parse(`${gate}=true`, undefined)).toEqual({ [gate]: true });
  });

  test('Every other gate is asked for somewhere', async () => {
    const sources = await readSources(new URL('../../../', import.meta.url));
    const unused = Object.entries(FEATURE_GATES)
      .filter(([gate, { locked }]) => !locked && !sources.includes(`'${gate}'`))
      .map(([gate]) => gate);
    expect(unused).toEqual([]);
    expect(Object.keys(FEATURE_GATES).filter(isRefused)).toEqual([]);
  });

  test('AllAlpha and AllBeta leave gates alone that are not supported, and say so', () => {
    const table = { gates: FEATURE_GATES, unsupported: new Set(['ResilientWatchCacheInitialization']) };
    expect(expandGates({ AllBeta: false }, table)['ResilientWatchCacheInitialization']).toBeUndefined();
    expect(expandGates({ AllBeta: false })['ResilientWatchCacheInitialization']).toBe(false);
    expect(gateWarnings({ AllAlpha: true }, table)).toEqual([]);
    expect(gateWarnings({ AllAlpha: false, AllBeta: false }, table)).toEqual([
      'AllBeta=false does not change feature gates that are not supported by this version yet: ' +
        'ResilientWatchCacheInitialization',
    ]);
  });

  test('AllAlpha means every alpha gate that is not named itself, in any order', () => {
    const settings = expandGates({ ImageVolume: false, AllAlpha: true });
    expect(settings).toEqual({
      ...Object.fromEntries(alphaGates.filter((gate) => !isRefused(gate)).map((gate) => [gate, true])),
      ImageVolume: false,
    });
    expect(alphaGates.length).toBeGreaterThan(5);
  });

  test('AllBeta leaves locked and other gates alone', () => {
    const settings = expandGates({ AllBeta: false });
    expect([settings['SidecarContainers'], settings['ElasticIndexedJob'], settings['ImageVolume']]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });

  test('The flag --feature-gates warns of gates that are generally available', () => {
    expect(gateWarnings({ ElasticIndexedJob: true, ImageVolume: true })).toEqual([
      'Setting GA feature gate ElasticIndexedJob=true. It will be removed in a future release.',
    ]);
  });

  test('The help lists every gate with its stage', () => {
    expect(knownGates()).toHaveLength(Object.keys(FEATURE_GATES).length);
    expect(knownGates()).toContain('StatefulSetAutoDeletePVC (ga, on, locked)');
  });
});
