import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/machinery/value.ts';
import { hasShared, sharedPath } from './shared.ts';

/** Objects that upstream encoded in each of its encodings, every field filled. */
export const hasFixtures = hasShared('facts', 'roundtrip');

export const fixtureNames: readonly { readonly name: string }[] = hasFixtures
  ? readdirSync(sharedPath('facts', 'roundtrip'))
      .filter((file) => file.endsWith('.pb'))
      .map((file) => ({ name: file.slice(0, -'.pb'.length) }))
  : [];

export const readFixture = (name: string, servedVersion: 'json' | 'yaml' | 'pb'): Buffer =>
  readFileSync(sharedPath('facts', 'roundtrip', `${name}.${servedVersion}`));

/** The object as a server prints it: claim templates come with their type there, and in the fixtures they do not. */
export function fixtureObject(name: string): JsonObject {
  const object = JSON.parse(readFixture(name, 'json').toString()) as { spec?: { volumeClaimTemplates?: object[] } };
  const { spec } = object;
  if (spec?.volumeClaimTemplates !== undefined)
    spec.volumeClaimTemplates = spec.volumeClaimTemplates.map((claim) => ({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      ...claim,
    }));
  return object as JsonObject;
}
