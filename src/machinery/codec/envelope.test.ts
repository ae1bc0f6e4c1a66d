import { describe, expect, test } from 'vitest';
import { hasEnvelope, readEnvelope, writeEnvelope } from './envelope.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the storage envelope', () => {
  test.each([
    {
      name: 'an object',
      apiVersion: 'v1',
      kind: 'Pod',
      raw: 'abc',
      written: 'k8s\0\n\x09\n\x02v1\x12\x03Pod\x12\x03abc\x1a\0"\0',
    },
    { name: 'nothing', apiVersion: '', kind: '', raw: '', written: 'k8s\0\n\x04\n\0\x12\0\x12\0\x1a\0"\0' },
  ])('The storage envelope: $name', ({ apiVersion, kind, raw, written }) => {
    expect(writeEnvelope(apiVersion, kind, bytes(raw)).toString('latin1')).toBe(written);
    expect(readEnvelope(bytes(written))).toEqual({
      apiVersion,
      kind,
      raw: bytes(raw),
      contentEncoding: '',
      contentType: '',
    });
  });

  test('The envelope has the right length for long contents', () => {
    for (const size of [127, 128, 16383, 16384, 2_097_152]) {
      const raw = Buffer.alloc(size, 7);
      expect(readEnvelope(writeEnvelope('apps/v1', 'Deployment', raw)).raw.equals(raw)).toBe(true);
    }
  });

  test('The object is part of the buffer, not a copy', () => {
    const stored = writeEnvelope('v1', 'Pod', bytes('abc'));
    expect(readEnvelope(stored).raw.buffer).toBe(stored.buffer);
  });

  test('The storage envelope is read with fields in any order, unknown ones and the content type', () => {
    expect(readEnvelope(bytes('k8s\0"\x10application/json\x12\x02{}z\x01x\n\x04\n\x02v1'))).toEqual({
      apiVersion: 'v1',
      kind: '',
      raw: bytes('{}'),
      contentEncoding: '',
      contentType: 'application/json',
    });
  });

  test('The storage envelope is recognised by its first four bytes', () => {
    expect([bytes('k8s\0'), bytes('k8s'), bytes('k8s1'), bytes('{}'), bytes('')].map(hasEnvelope)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test.each([
    { name: 'nothing', text: '', message: 'empty data' },
    { name: 'nothing behind the prefix', text: 'k8s\0', message: 'empty body' },
    {
      name: 'other data',
      text: 'hello',
      message: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    },
    { name: 'a truncated one', text: 'k8s\0\n\x07', message: 'unexpected EOF' },
    { name: 'tag 0', text: 'k8s\0\0', message: 'proto: Unknown: illegal tag 0 (wire type 0)' },
    { name: 'a TypeMeta that ends late', text: 'k8s\0\n\x02\n\x05v1', message: 'unexpected EOF' },
    { name: 'a raw length beyond the end', text: 'k8s\0\x12\xff\xff\xff\xff\x0f', message: 'unexpected EOF' },
  ])('The storage envelope refuses $name', ({ text, message }) => {
    expect(() => readEnvelope(bytes(text))).toThrow(expect.objectContaining({ name: 'DecodeError', message }));
  });
});
