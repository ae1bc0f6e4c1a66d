import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { createCodecs, readEnvelope } from './index.ts';

const available = hasShared('facts', 'roundtrip');
const fixtures = available ? readdirSync(sharedPath('facts', 'roundtrip')).filter((name) => name.endsWith('.pb')).map((name) => ({ name: name.slice(0, -3) })) : [];
/** The fixture has no type in its envelope. */
const typeIds: Readonly<Record<string, string>> = { 'core.v1.WatchEvent': 'meta/v1.WatchEvent' };
const codecs = createCodecs(schemas);

describe.skipIf(!available)('objects that upstream encoded, every field filled (facts/roundtrip)', () => {
  test('there are all 49 of them', () => {
    expect(fixtures).toHaveLength(49);
  });

  test.each(fixtures)('$name encodes back to the same bytes', ({ name }) => {
    const stored = readFileSync(sharedPath('facts', 'roundtrip', `${name}.pb`));
    const { apiVersion, kind, raw } = readEnvelope(stored);
    const codec = codecs.of(typeIds[name] ?? schemas.ofKind(apiVersion, kind)!);
    const value = codec.decode(raw);
    expect(codec.encode(value).equals(raw)).toBe(true);
    expect(codec.encodeEnvelope(value, { apiVersion, kind }).equals(stored)).toBe(true);
  });
});
