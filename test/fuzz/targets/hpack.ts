import assert from 'node:assert/strict';
import { HpackDecoder } from '../../../src/http2/hpack/decoder.ts';
import { encodeHeaders } from '../../../src/http2/hpack/encoder.ts';
import { staticNames, staticValues } from '../../../src/http2/hpack/static-table.ts';
import { type Field, ReferenceEncoder } from '../../../src/http2/testing/reference-encoder.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { changed, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const text = (random: RandomSource): string =>
  String.fromCharCode(...Array.from({ length: pick(random, [0, 1, 5, 127, 300]) }, () => randomInt(random, 256)));

function field(random: RandomSource): Field {
  return [
    random() < 0.7 ? pick(random, staticNames.slice(1)) : text(random),
    random() < 0.3 ? pick(random, staticValues.slice(1)) : random() < 0.5 ? pick(random, ['a', 'b']) : text(random),
  ];
}

function block(random: RandomSource, encoder: ReferenceEncoder): Buffer {
  const resized = random() < 0.2 ? [encoder.resize(randomInt(random, 4_097))] : [];
  const fields = Array.from({ length: randomInt(random, 12) }, () => {
    const one = field(random);
    const [index] = encoder.indicesOf(...one);
    return index !== undefined && random() < 0.8
      ? encoder.indexed(index)
      : encoder.literal(one, {
          as: pick(random, ['indexing', 'without', 'never']),
          nameIndex: pick(random, [0, ...encoder.indicesOf(one[0])]),
          huffman: random() < 0.5,
        });
  });
  return Buffer.concat([...resized, ...fields]);
}

const maxListBytes = 8_192;

export const target: FuzzTarget = {
  about: 'HPACK header blocks of one connection: each with its length in two bytes',
  runs: 3_000,
  generate(random) {
    const encoder = new ReferenceEncoder(4_096);
    return Buffer.concat(
      Array.from({ length: 1 + randomInt(random, 3) }, () => {
        const whole = block(random, encoder);
        const bytes = random() < 0.5 ? whole : changed(random, whole);
        return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes.subarray(0, 65_535)]);
      }),
    );
  },
  check(input) {
    const decoder = new HpackDecoder({ tableBytes: 4_096, maxListBytes });
    for (let at = 0; at + 2 <= input.length; at += 2 + input.readUInt16BE(at)) {
      let fields: string[] | undefined;
      try {
        fields = decoder.decode(input.subarray(at + 2, at + 2 + input.readUInt16BE(at)));
      } catch (error) {
        assert.match((error as Error).message, /header|dynamic table/);
        assert.equal((error as Error).name, 'Error');
        return;
      }
      expectWithin(fields?.reduce((sum, part) => sum + part.length + 16, 0) ?? 0, maxListBytes, 'bytes of fields');
      if (fields === undefined) continue;
      const pairs = Array.from({ length: fields.length / 2 }, (_, i): Field => [fields[2 * i]!, fields[2 * i + 1]!]);
      assert.deepEqual(new HpackDecoder({ tableBytes: 4_096, maxListBytes }).decode(encodeHeaders(pairs)), fields);
    }
  },
};
