import assert from 'node:assert/strict';
import { MessageReader } from '../../../src/grpc/message-reader.ts';
import { ProtoReader } from '../../../src/base/protobuf/reader.ts';
import { randomInt, randomSource } from '../../support/random.ts';
import { attempt, changed, expectWithin } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const maxBytes = 4_096;

function message(length: number): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, Buffer.alloc(length, length)]);
}

/** What comes out of the bytes in pieces of random sizes; the last entry says how it ended. */
function read(bytes: Buffer, seed: number): string[] {
  const random = randomSource(seed);
  const messages: string[] = [];
  const reader = new MessageReader((buffer, start, end) => messages.push(buffer.toString('hex', start, end)), maxBytes);
  const isRead = attempt(() => {
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + randomInt(random, seed === 0 ? bytes.length : 12);
      reader.push(bytes.subarray(at, at + size));
      at += size;
    }
    return true;
  }, 'GrpcError');
  return [...messages, isRead === true ? 'end' : 'refused'];
}

/** Goes from field to field, and reads each as all that it may be. */
function walk(bytes: Buffer, from: number, end: number): void {
  const reader = new ProtoReader(bytes, from, end);
  while (attempt(() => reader.next(end), 'ProtobufError') === true) {
    const { at } = reader;
    for (const read of [
      () => reader.uint(),
      () => reader.int64(),
      () => reader.string(),
      () => reader.bytes(),
      () => reader.skip(),
    ]) {
      reader.at = at;
      if (attempt(() => (read(), true), 'ProtobufError') === undefined) return;
    }
    assert.ok(reader.at > at, 'no way forward');
  }
}

export const target: FuzzTarget = {
  about: 'gRPC messages in the data of a stream, and the fields of such a message',
  runs: 4_000,
  generate: (random) =>
    changed(
      random,
      Buffer.concat(Array.from({ length: 1 + randomInt(random, 5) }, () => message(randomInt(random, 60)))),
    ),
  check(input) {
    const messages = read(input, 0);
    expectWithin(messages.length, input.length / 5 + 1, 'messages');
    walk(input, Math.min(5, input.length), input.length);
    for (const seed of [1, 2, 3]) assert.deepEqual(read(input, seed), messages);
  },
};
