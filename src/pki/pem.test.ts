import { describe, expect, test } from 'vitest';
import { certificateRequest } from '../../test/support/certificate-requests.ts';
import { readDer } from './der-reader.ts';
import { readPem } from './pem.ts';
import { requestSubject } from './request-subject.ts';

const block = (type: string, content: string): string => `-----BEGIN ${type}-----\n${content}-----END ${type}-----\n`;
const shown = (text: string): string[] =>
  readPem(text).map(({ type, hasHeaders, bytes }) => `${type}${hasHeaders ? '+' : ''}:${bytes.toString()}`);

describe('PEM', () => {
  test.each([
    {
      name: 'blocks one after the other',
      text: block('A', 'YQ==\n') + block('B C', 'Yg==\n'),
      blocks: ['A:a', 'B C:b'],
    },
    {
      name: 'text around and between',
      text: `before\n${block('A', 'YQ==\n')}between: x\n${block('B', 'Yg==\n')}behind`,
      blocks: ['A:a', 'B:b'],
    },
    { name: 'headers', text: block('A', 'Proc-Type: 4\nX: y\n\nYQ==\n'), blocks: ['A+:a'] },
    { name: 'nothing inside', text: block('A', ''), blocks: ['A:'] },
    {
      name: 'lines of any length, blanks and carriage returns',
      text: '-----BEGIN A----- \t\r\nY\r\n  WI=\r\n-----END A-----\t\r\n',
      blocks: ['A:ab'],
    },
    { name: 'no line break at the end', text: block('A', 'YQ==\n').trimEnd(), blocks: ['A:a'] },
    {
      name: 'a block that is not closed, and one behind it',
      text: `-----BEGIN A-----\nYQ==\n${block('B', 'Yg==\n')}`,
      blocks: ['B:b'],
    },
    { name: 'another end', text: '-----BEGIN A-----\nYQ==\n-----END B-----\n', blocks: [] },
    { name: 'what is no base64', text: block('A', 'a-b\n'), blocks: [] },
    { name: 'a beginning within a line', text: ` ${block('A', 'YQ==\n')}`, blocks: [] },
    { name: 'a beginning without its end', text: '-----BEGIN A\n-----END A-----\n', blocks: [] },
    { name: 'dashes that are both', text: '-----BEGIN -----\nYQ==\n-----END -----\n', blocks: [':a'] },
  ])('PEM: $name', ({ text, blocks }) => {
    expect(shown(text)).toEqual(blocks);
  });
});

describe('DER', () => {
  test('DER of more elements than anything real has is refused', () => {
    expect(readDer(Buffer.alloc(20_000))).toHaveLength(10_000);
    expect(() => readDer(Buffer.alloc(20_002))).toThrow(
      expect.objectContaining({ name: 'DerError', message: 'asn1: structure error: too many elements' }),
    );
  });

  test('DER text of half a character is refused', () => {
    const [{ bytes } = { bytes: Buffer.alloc(0) }] = readPem(certificateRequest({ commonName: 'abc' }));
    const utf8String = bytes.indexOf(Buffer.from([0x0c, 3]));
    bytes[utf8String] = 0x1e;
    const pem = block('CERTIFICATE REQUEST', `${bytes.toString('base64')}\n`);
    expect(() => requestSubject(pem)).toThrow(
      expect.objectContaining({ name: 'DerError', message: 'asn1: syntax error: invalid BMPString' }),
    );
  });
});
