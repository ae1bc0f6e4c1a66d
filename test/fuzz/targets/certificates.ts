import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { DerError, readDer } from '../../../src/pki/der-reader.ts';
import { certificateChainProblem, trustedCertificatesProblem } from '../../../src/pki/issued-certificate.ts';
import { readPem } from '../../../src/pki/pem.ts';
import { certificateRequestProblem } from '../../../src/pki/certificate-request.ts';
import { requestSubject } from '../../../src/pki/request-subject.ts';
import { readPublicKeys, readSigningKey } from '../../../src/auth/service-accounts/keys.ts';
import { readCertificates } from '../../../src/auth/authentication/certificate-chain.ts';
import { createCertificate, createKey } from '../../../src/pki/certificate.ts';
import { certificateRequest } from '../../support/certificate-requests.ts';
import { pick, randomInt, type RandomSource } from '../../support/random.ts';
import { attempt, changed, expectWithin, words } from '../parts.ts';
import type { FuzzTarget } from '../target.ts';

const key = createKey();
const day = 86_400_000;
const texts = [
  certificateRequest({ commonName: 'system:node:a', organizations: ['system:nodes', 'b'] }),
  certificateRequest({}),
  createCertificate({
    subject: { commonName: 'a' },
    use: 'server',
    key,
    notBefore: new Date(0),
    notAfter: new Date(day),
    dnsNames: ['a'],
    ipAddresses: ['10.0.0.1'],
  }),
  key.export({ type: 'sec1', format: 'pem' }) as string,
  generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }) as string,
];
const lines = [
  '-----BEGIN CERTIFICATE-----\n',
  '-----END CERTIFICATE-----\n',
  '-----BEGIN CERTIFICATE REQUEST-----\n',
  '-----END CERTIFICATE REQUEST-----\n',
  '-----BEGIN a:-----\n',
  '-----',
  '\n',
  '\r\n',
  'Proc-Type: 4\n',
  'QUJD\n',
  '=',
  'a:b\n',
  ' ',
  '\t',
  'é',
];

/** The bytes changed inside, and put into PEM again. */
function changedInside(random: RandomSource): Buffer {
  const text = pick(random, texts);
  const label = /BEGIN ([^-]+)/.exec(text)![1]!;
  const whole = readPem(text)[0]!.bytes;
  // Another kind of text, of two bytes per character.
  const tag = whole.indexOf(0x0c);
  const der = changed(
    random,
    tag > 0 && random() < 0.2
      ? Buffer.concat([whole.subarray(0, tag), Buffer.from([0x1e]), whole.subarray(tag + 1)])
      : whole,
  );
  return Buffer.from(
    `-----BEGIN ${label}-----\n${der.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`,
  );
}

/** A problem that is thrown is an error with a message, and none that says something of the code. */
function refused(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    assert.ok(
      error instanceof Error &&
        !(error instanceof TypeError && (error as { code?: string }).code === undefined) &&
        !(error instanceof RangeError),
      (error as Error).stack,
    );
  }
}

export const target: FuzzTarget = {
  about: 'PEM, DER, certificate requests, certificates and keys',
  runs: 1_500,
  generate: (random) =>
    randomInt(random, 3) > 0
      ? changedInside(random)
      : changed(
          random,
          Buffer.from(pick(random, texts) + words(random, lines, 6)),
          Buffer.from(words(random, lines, 4)),
        ),
  check(input) {
    const text = input.toString();
    const blocks = readPem(text);
    expectWithin(
      blocks.reduce((sum, { bytes, type }) => sum + bytes.length + type.length, 0),
      text.length,
      'bytes in blocks',
    );
    for (const { bytes } of blocks) attempt(() => readDer(bytes), 'DerError');
    attempt(() => readDer(input), 'DerError');
    for (const problem of [
      certificateRequestProblem(text),
      certificateChainProblem(text),
      trustedCertificatesProblem(text),
    ])
      expectWithin(problem?.length ?? 0, 10 * text.length + 200, 'characters of a problem');
    try {
      expectWithin(JSON.stringify(requestSubject(text)).length, 10 * text.length, 'characters of a subject');
    } catch (error) {
      assert.ok(
        error instanceof DerError || (error as Error).message.startsWith('PEM block type'),
        (error as Error).stack,
      );
    }
    for (const read of [readPublicKeys, readSigningKey, readCertificates]) refused(() => read(text));
  },
};
