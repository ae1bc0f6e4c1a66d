import { describe, expect, test } from 'vitest';
import { readTrust } from './cluster-trust.ts';

const map = (data: Record<string, string>) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data }) as never;

describe('what the cluster publishes of its authorities', () => {
  test.each([
    { name: 'nothing', data: {}, trust: { clientCa: '', requestHeader: undefined } },
    {
      name: 'authorities of clients',
      data: { 'client-ca-file': 'a' },
      trust: { clientCa: 'a', requestHeader: undefined },
    },
    {
      name: 'authorities of front proxies',
      data: {
        'requestheader-client-ca-file': 'b',
        'requestheader-username-headers': '["X-Remote-User"]',
        'requestheader-group-headers': '["X-Remote-Group"]',
        'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
        'requestheader-allowed-names': '["front-proxy-client"]',
        'requestheader-uid-headers': '["X-Remote-Uid"]',
      },
      trust: {
        clientCa: '',
        requestHeader: {
          ca: 'b',
          usernameHeaders: ['X-Remote-User'],
          uidHeaders: ['X-Remote-Uid'],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
          allowedNames: ['front-proxy-client'],
        },
      },
    },
    {
      name: 'headers, but no authority of those who may set them',
      data: { 'requestheader-username-headers': '["X-Remote-User"]' },
      trust: { clientCa: '', requestHeader: undefined },
    },
  ])('What the cluster publishes of its authorities is read: $name', ({ data, trust }) => {
    expect(readTrust(map(data as unknown as Record<string, string>))).toEqual(trust);
  });

  test.each(['x', '"X-Remote-User"', '[1]', '{}'])(
    'What the cluster publishes of its authorities is refused with the list %s',
    (list) => {
      expect(() =>
        readTrust(map({ 'requestheader-client-ca-file': 'b', 'requestheader-allowed-names': list })),
      ).toThrow();
    },
  );
});
