import { describe, expect, test } from 'vitest';
import { parseEndpoint } from './endpoint.ts';

describe('endpoints', () => {
  test.each([
    {
      text: 'http://127.0.0.1:2379',
      endpoint: {
        url: 'http://127.0.0.1:2379',
        secure: false,
        host: '127.0.0.1',
        port: 2379,
        authority: '127.0.0.1:2379',
      },
    },
    {
      text: ' https://etcd.example:2379/ ',
      endpoint: {
        url: 'https://etcd.example:2379',
        secure: true,
        host: 'etcd.example',
        port: 2379,
        authority: 'etcd.example:2379',
      },
    },
    {
      text: 'https://[fd00::1]:2379',
      endpoint: {
        url: 'https://[fd00::1]:2379',
        secure: true,
        host: 'fd00::1',
        port: 2379,
        authority: '[fd00::1]:2379',
      },
    },
    {
      text: 'https://etcd.example',
      endpoint: {
        url: 'https://etcd.example',
        secure: true,
        host: 'etcd.example',
        port: 443,
        authority: 'etcd.example',
      },
    },
    {
      text: '10.0.0.1:2379',
      endpoint: {
        url: 'http://10.0.0.1:2379',
        secure: false,
        host: '10.0.0.1',
        port: 2379,
        authority: '10.0.0.1:2379',
      },
    },
  ])('An etcd endpoint: $text', ({ text, endpoint }) => {
    expect(parseEndpoint(text, false)).toEqual(endpoint);
  });

  test('Endpoints of etcd without a scheme are secure when there are certificates', () => {
    expect(parseEndpoint('10.0.0.1:2379', true)).toMatchObject({ secure: true });
    expect(parseEndpoint('http://10.0.0.1:2379', true)).toMatchObject({ secure: false });
  });

  test.each([
    { text: 'unix:///run/etcd.sock', error: 'the scheme must be http or https' },
    { text: 'http://127.0.0.1:99999', error: 'not a URL' },
    { text: '', error: 'not a URL' },
    { text: 'http://127.0.0.1:2379/v3', error: 'only scheme, host and port are allowed' },
    { text: 'http://user@127.0.0.1:2379', error: 'only scheme, host and port are allowed' },
  ])('An etcd endpoint is refused: $text', ({ text, error }) => {
    expect(() => parseEndpoint(text, false)).toThrow(`etcd endpoint ${JSON.stringify(text)}: ${error}`);
  });
});
