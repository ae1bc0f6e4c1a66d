import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../server/exchange.ts';
import { maxEntries, sourceAddresses } from './source-addresses.ts';

const addressesOf = (headers: Readonly<Record<string, string | undefined>>, remoteAddress = '192.0.2.1') =>
  sourceAddresses({ remoteAddress, header: (name: string) => headers[name] } as unknown as Exchange);

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);

describe('the addresses that a request came through', () => {
  test.each([
    { name: 'a connection', headers: {}, addresses: ['192.0.2.1'] },
    { name: 'a mapped address', headers: {}, remote: '::ffff:192.0.2.7', addresses: ['192.0.2.7'] },
    { name: 'no address', headers: {}, remote: 'a socket', addresses: [] },
    { name: 'a proxy', headers: { 'x-forwarded-for': '198.51.100.7' }, addresses: ['198.51.100.7', '192.0.2.1'] },
    {
      name: 'several proxies',
      headers: { 'x-forwarded-for': '198.51.100.7, 2001:DB8::1 ,203.0.113.9' },
      addresses: ['198.51.100.7', '2001:db8::1', '203.0.113.9', '192.0.2.1'],
    },
    {
      name: 'texts that are no addresses',
      headers: { 'x-forwarded-for': 'unknown,,10.0.0.1:80,198.51.100.7,' },
      addresses: ['198.51.100.7', '192.0.2.1'],
    },
    { name: 'a real address', headers: { 'x-real-ip': '198.51.100.8' }, addresses: ['198.51.100.8', '192.0.2.1'] },
    {
      name: 'a real address that is named already',
      headers: { 'x-forwarded-for': '198.51.100.7,198.51.100.8', 'x-real-ip': '198.51.100.7' },
      addresses: ['198.51.100.7', '198.51.100.8', '192.0.2.1'],
    },
    {
      name: 'the peer as the last proxy',
      headers: { 'x-forwarded-for': '198.51.100.7,192.0.2.1' },
      addresses: ['198.51.100.7', '192.0.2.1'],
    },
    {
      name: 'as many entries as are looked at',
      headers: { 'x-forwarded-for': numbered(2 * maxEntries).join() },
      addresses: [...numbered(2 * maxEntries), '192.0.2.1'],
    },
    {
      name: 'one entry without end',
      headers: { 'x-forwarded-for': `1${'0'.repeat(900_000)}` },
      addresses: ['192.0.2.1'],
    },
    { name: 'a real address without end', headers: { 'x-real-ip': ' '.repeat(900_000) }, addresses: ['192.0.2.1'] },
  ])('The addresses that a request came through: $name', ({ headers, remote, addresses }) => {
    expect(addressesOf(headers, remote)).toEqual({ addresses, isCut: false });
  });

  test.each([
    { name: 'one too many', all: numbered(2 * maxEntries + 1) },
    { name: 'a hundred thousand', all: numbered(100_000) },
  ])('The addresses that a request came through are the first and the last of a long list: $name', ({ all }) => {
    expect(addressesOf({ 'x-forwarded-for': all.join() })).toEqual({
      addresses: [...all.slice(0, maxEntries), ...all.slice(-maxEntries), '192.0.2.1'],
      isCut: true,
    });
  });

  test('The addresses that a request came through are cut where a long list has nothing but commas', () => {
    expect(addressesOf({ 'x-forwarded-for': ','.repeat(900_000) })).toEqual({ addresses: ['192.0.2.1'], isCut: true });
  });
});
