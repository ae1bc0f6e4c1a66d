import { describe, expect, test } from 'vitest';
import { Masks, piecesOf, replaceTokens, withoutNumbers } from './tokens.ts';

const uid = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';

describe('placeholders for values that differ from run to run', () => {
  test.each([
    { name: 'the token of the case', text: 'ns-uabc123/n1-uabc123', expected: 'ns-<u>/n1-<u>' },
    { name: 'a uid', text: `by pod ${uid} on n1`, expected: `by pod <uid:${uid}> on n1` },
    { name: 'a time', text: '2026-01-02T03:04:05Z', expected: '<time>' },
    { name: 'a time with microseconds', text: '2026-01-02T03:04:05.678901Z', expected: '<time>' },
    { name: 'an address of the service range', text: '10.0.0.17', expected: '<ip:10.0.0.17>' },
    { name: 'an address of a pod', text: '10.1.0.1', expected: '10.1.0.1' },
    { name: 'a generated name', text: 'Created pod: web-x7k2p', expected: 'Created pod: web-<random:x7k2p>' },
    {
      name: 'the hash of a template in the name of a pod',
      text: 'web-5f7b9c4d8-x7k2p',
      expected: 'web-<hash:5f7b9c4d8>-<random:x7k2p>',
    },
    { name: 'a hash alone', text: '5f7b9c4d8', expected: '<hash:5f7b9c4d8>' },
    { name: 'the minutes of a job', text: 'tick-29384710', expected: 'tick-<minutes:29384710>' },
    {
      name: 'the pod of a job with minutes',
      text: 'tick-29384710-x7k2p',
      expected: 'tick-<minutes:29384710>-<random:x7k2p>',
    },
    { name: 'a word after a hyphen', text: 'web-other', expected: 'web-other' },
    { name: 'a resource with a dotted name', text: 'kube-root-ca.crt', expected: 'kube-root-ca.crt' },
    { name: 'a recorded placeholder', text: 'web-<hash:1>-<random:2>', expected: 'web-<hash:1>-<random:2>' },
    { name: 'a number of a StatefulSet', text: 'db-0', expected: 'db-0' },
  ])('Placeholders for values that differ from run to run: $name', ({ text, expected }) => {
    expect(new Masks('uabc123').text(text)).toBe(expected);
  });

  test('Nodes are placeholders where they stand for each other', () => {
    const masks = new Masks('uabc123', ['n1-uabc123', 'n2-uabc123']);
    expect(masks.text('assigned to n2-uabc123, not to n12-uabc123')).toBe('assigned to <node:n2->, not to n12-<u>');
  });
});

test('A text is split into literals and tokens', () => {
  expect(piecesOf('web-<hash:1>-<random:2> at <time>')).toEqual({
    literals: ['web-', '-', ' at <time>'],
    tokens: ['hash:1', 'random:2'],
  });
});

test('Numbers of a recording are left out', () => {
  expect(withoutNumbers('web-<hash:1>-<random:2>')).toBe('web-<hash>-<random>');
});

test('Tokens of a recording are replaced', () => {
  expect(replaceTokens('web-<hash:1>', () => 'hash:2')).toBe('web-<hash:2>');
});
