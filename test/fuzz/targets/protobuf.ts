import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import protobuf from 'protobufjs';
import { codecs } from '../../../src/api/codecs.ts';
import { schemas } from '../../../src/api/schemas.ts';
import { readEnvelope } from '../../../src/machinery/codec/index.ts';
import { createAttributesScanner } from '../../../src/machinery/codec/attributes-scanner.ts';
import { metadataField, spliceResourceVersion, splicedLength } from '../../../src/machinery/codec/splice.ts';
import { pick } from '../../support/random.ts';
import { ValueGenerator } from '../../support/random-values.ts';
import { attempt, changed, expectWithin, joined, outcome, parts } from '../parts.ts';
import { messageIds } from '../types.ts';
import type { FuzzTarget } from '../target.ts';

const scan = createAttributesScanner(schemas, 'core/v1.Pod', [
  'spec.nodeName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIPs.ip',
]);

const startGroup = 3;

/** Whether protobufjs can go from field to field to the end. It does not go deep into groups. */
function isMessage(bytes: Buffer): boolean {
  const reader = protobuf.Reader.create(bytes);
  try {
    while (reader.pos < reader.len) {
      // 64 bits, of which a number does not keep the lowest: these are the wire type.
      const { lo, hi } = protobuf.util.LongBits.from(reader.uint64());
      const [field, wireType] = [((hi << 29) | (lo >>> 3)) >>> 0, lo & 7];
      if (field === 0) return false;
      if (wireType === startGroup) return true;
      reader.skipType(wireType);
    }
    return reader.pos === reader.len;
  } catch {
    return false;
  }
}

export const target: FuzzTarget = {
  about: 'protobuf of every type: the name of a type, NUL, the message',
  runs: 2_000,
  generate(random) {
    const id = random() < 0.2 ? 'core/v1.Pod' : pick(random, messageIds);
    const value = new ValueGenerator(schemas, random, (type) => codecs.of(type).empty()).struct(id, 2);
    return joined(id, changed(random, codecs.of(id).encode(value)));
  },
  check(input) {
    const [id, bytes] = parts(input);
    const codec = codecs.of(messageIds.includes(id) ? id : 'core/v1.Pod');
    const { value, refusal } = outcome(() => codec.decode(bytes), 'DecodeError');
    // The transcoder, which gets nothing but what was stored, counts no messages.
    if (refusal?.message.includes('too many messages') === true) return;
    const json = attempt(() => codec.transcode(bytes), 'DecodeError', 'EncodeError');
    if (value === undefined) assert.ok(json === undefined, 'transcoded what cannot be decoded');
    else {
      assert.ok(isMessage(bytes), 'protobufjs cannot read it');
      const again = codec.encode(value);
      expectWithin(again.length, 100 * bytes.length + 10_000, 'bytes written');
      if (!isDeepStrictEqual(codec.decode(again), value)) assert.deepEqual(codec.decode(again), value);
      // Field sets are not looked at by the transcoder: no others than our own come to be stored.
      const expected = attempt(() => codec.toJson(value), 'EncodeError');
      if (expected !== undefined) assert.equal(json?.toString(), expected.toString());
    }
    attempt(() => scan(bytes), 'DecodeError');
    const spliced = attempt(() => spliceResourceVersion(bytes, 12_345), 'DecodeError');
    assert.equal(
      attempt(() => splicedLength(bytes, 12_345), 'DecodeError'),
      spliced?.length,
    );
    attempt(() => metadataField(bytes), 'DecodeError');
    attempt(() => readEnvelope(bytes), 'DecodeError');
    attempt(() => readEnvelope(Buffer.concat([Buffer.from('k8s\0'), bytes])), 'DecodeError');
  },
};
