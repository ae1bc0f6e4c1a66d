/** What header compression costs a request of client-go and its answer. */
import { bench, describe } from 'vitest';
import { encodeHuffman } from '../testing/huffman-encoder.ts';
import { ReferenceEncoder } from '../testing/reference-encoder.ts';
import type { Field } from '../testing/reference-encoder.ts';
import { HpackDecoder } from './decoder.ts';
import { encodeAnswer } from './encoder.ts';
import { decodeHuffman } from './huffman.ts';

/** 60 characters. */
const pathOf = (i: number): string =>
  `/api/v1/namespaces/kube-system/configmaps/kube-root-ca-${String(i).padStart(5, '0')}`;

const request = (path: string): Field[] => [
  [':authority', '10.96.0.1:6443'],
  [':method', 'GET'],
  [':path', path],
  [':scheme', 'https'],
  ['accept', 'application/vnd.kubernetes.protobuf,application/json'],
  ['authorization', 'Bearer abcdefghijklmnopqrstuvwxyz0123456789.abcdefghijklmnopqrstuvwxyz0123456789'],
  ['accept-encoding', 'gzip'],
  ['user-agent', 'kubelet/v1.32.0 (linux/amd64) kubernetes/70d3cc9'],
];

/** The blocks of a connection that asks for one path after the other, and begins again after a change of the table. */
const encoder = new ReferenceEncoder(4096);
const walk = Array.from({ length: 1000 }, (_, i) => encoder.block(request(pathOf(i))));
walk[0] = Buffer.concat([Buffer.from([0x20, 0x3f, 0xe1, 0x1f]), walk[0]!]);

const options = { tableBytes: 4096, maxListBytes: 1 << 20 };

describe('a request is decoded', () => {
  const walking = new HpackDecoder(options);
  let i = 0;
  bench('another path each time', () => void walking.decode(walk[i++ % walk.length]!));

  const repeating = new HpackDecoder(options);
  const peer = new ReferenceEncoder(4096);
  repeating.decode(peer.block(request(pathOf(0))));
  const hits = peer.block(request(pathOf(0)));
  bench('the same path each time', () => void repeating.decode(hits));

  const path = encodeHuffman(pathOf(0));
  bench('the Huffman code of a path alone', () => void decodeHuffman(path, 0, path.length));
});

describe('an answer is encoded', () => {
  const out = Buffer.alloc(1024);
  let i = 0;
  const fields = (length: number): Field[] => [
    ['audit-id', `5f2b4b1c-0f0e-4a53-9d6b-${String(i++).padStart(12, '0')}`],
    ['cache-control', 'no-cache, private'],
    ['content-type', 'application/vnd.kubernetes.protobuf'],
    ['x-kubernetes-pf-flowschema-uid', 'd0b8a9f6-9c2f-4d5a-8c86-5d5a4dbd8b7a'],
    ['x-kubernetes-pf-prioritylevel-uid', 'c0b8a9f6-9c2f-4d5a-8c86-5d5a4dbd8b7b'],
    ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['content-length', String(length)],
  ];
  bench('of a GET, and written', () => {
    const block = encodeAnswer(200, fields(1000 + (i % 1000)));
    out.latin1Write(block, 0, block.length);
  });
});
