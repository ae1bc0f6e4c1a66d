/** Mutated input for every decoder: it may be refused, with the decoder's own error, or read; nothing else may happen. */
import { describe, expect, test } from 'vitest';
import { mutate } from '../../../test/support/mutate.ts';
import { randomSource, type RandomSource } from '../../../test/support/random.ts';
import { ValueGenerator } from '../../../test/support/random-values.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { parseJson } from '../json/reader.ts';
import { createJsonCardScanner } from '../json/scan.ts';
import { spliceJsonResourceVersion } from '../json/splice.ts';
import { parseYaml, writeYaml } from '../json/yaml.ts';
import { createCodecs, readEnvelope, writeEnvelope } from './index.ts';
import { createCardScanner } from './scan.ts';
import { metadataField, spliceResourceVersion, splicedLength } from './splice.ts';

const codecs = createCodecs(schemas);
const runs = 6;

const typeIds = schemas.packages.filter(({ protoPackage }) => protoPackage !== '').flatMap(({ name }) => schemas.typesOf(name).map((type) => (type.includes('.') ? type : `${name}.${type}`)))
  .filter((id) => schemas.type(id).jsonForm === undefined && schemas.type(id).alias === undefined && schemas.type(id).noProto !== true);

const generatorFor = (random: RandomSource): ValueGenerator => new ValueGenerator(schemas, random, (id) => codecs.of(id).empty());

/** The result, or undefined when the input was refused by one of these errors. */
function attempt<T>(run: () => T, ...errors: string[]): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!errors.includes((error as Error).name)) throw error;
    return undefined;
  }
}

describe('protobuf', () => {
  test('decoders and transcoders of all types agree, and refuse what they cannot read', () => {
    let read = 0;
    for (const [index, id] of typeIds.entries()) {
      const random = randomSource(index + 1);
      const codec = codecs.of(id);
      const original = codec.encode(generatorFor(random).struct(id, 2));
      for (let run = 0; run < runs; run++) {
        const bytes = mutate(random, original);
        const value = attempt(() => codec.decode(bytes), 'DecodeError');
        const json = attempt(() => codec.transcode(bytes), 'DecodeError', 'EncodeError');
        if (value === undefined) {
          expect(json?.toString(), `${id} ${bytes.toString('hex')}`).toBeUndefined();
          continue;
        }
        read++;
        // Field sets are not looked at by the transcoder: no others than our own come to be stored.
        const expected = attempt(() => codec.toJson(value), 'EncodeError');
        if (expected !== undefined) expect(json?.toString(), `${id} ${bytes.toString('hex')}`).toBe(expected.toString());
        expect(codec.decode(codec.encode(value))).toEqual(value);
      }
    }
    expect(read).toBeGreaterThan(500);
  });

  test('scans, splices and envelopes', () => {
    const scan = createCardScanner(schemas, 'core/v1.Pod', ['spec.nodeName', 'spec.hostNetwork', 'status.phase', 'status.podIPs.ip']);
    const random = randomSource(99);
    const codec = codecs.of('core/v1.Pod');
    for (let run = 0; run < 1000; run++) {
      const bytes = mutate(random, codec.encode(generatorFor(random).struct('core/v1.Pod', 2)));
      attempt(() => scan(bytes), 'DecodeError');
      const spliced = attempt(() => spliceResourceVersion(bytes, 12345), 'DecodeError');
      expect(attempt(() => splicedLength(bytes, 12345), 'DecodeError')).toBe(spliced?.length);
      attempt(() => metadataField(bytes), 'DecodeError');
      attempt(() => readEnvelope(mutate(random, writeEnvelope('v1', 'Pod', bytes))), 'DecodeError');
    }
  });
});

describe('JSON', () => {
  const texts = (random: RandomSource, id: string): Buffer => mutate(random, codecs.of(id).toJson(generatorFor(random).struct(id, 2)));

  test('typed decoding refuses with its own errors and accepts what JSON.parse accepts', () => {
    for (const [index, id] of typeIds.entries()) {
      const random = randomSource(index + 5000);
      for (let run = 0; run < 2; run++) {
        const bytes = texts(random, id);
        let isSyntaxError = false;
        try {
          codecs.of(id).fromJson(bytes);
        } catch (error) {
          if (!['JsonSyntaxError', 'JsonTypeError'].includes((error as Error).name)) throw error;
          isSyntaxError = (error as Error).name === 'JsonSyntaxError';
        }
        expect(isSyntaxError, bytes.toString()).toBe(!isJson(bytes));
      }
    }
  });

  test('values without a type are what JSON.parse reads', () => {
    const random = randomSource(4711);
    for (let run = 0; run < 1500; run++) {
      const bytes = texts(random, 'core/v1.PodSpec');
      const value = attempt(() => parseJson(bytes), 'JsonSyntaxError', 'JsonTypeError');
      if (value !== undefined && !/\d{16}|\\ud|\ufffd/i.test(bytes.toString())) expect(value, bytes.toString()).toEqual(JSON.parse(bytes.toString()));
    }
  });

  test('splices and scans of stored JSON', () => {
    const random = randomSource(815);
    const scan = createJsonCardScanner(['spec.nodeName']);
    for (let run = 0; run < 1000; run++) {
      const bytes = texts(random, 'core/v1.Pod');
      attempt(() => scan(bytes), 'DecodeError', 'JsonSyntaxError');
      attempt(() => spliceJsonResourceVersion(bytes, 5), 'DecodeError');
    }
  });

  function isJson(bytes: Buffer): boolean {
    try {
      JSON.parse(bytes.toString());
      return true;
    } catch {
      return false;
    }
  }
});

test('YAML is refused with its own error, or read', () => {
  const random = randomSource(31);
  for (let run = 0; run < 1500; run++) {
    const text = writeYaml(generatorFor(random).struct('core/v1.PodSpec', 2));
    attempt(() => parseYaml(mutate(random, Buffer.from(text))), 'YamlError');
  }
});
