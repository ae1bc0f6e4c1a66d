import { createCipheriv, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aesCbc, aesGcm, aesGcmWithDerivedKeys } from './aes.ts';
import { secretbox } from './secretbox.ts';
import { context, value, toStorage, fromStorage } from './testing/transformed.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

describe('published vectors', () => {
  test('AES-256-CBC agrees with NIST SP 800-38A F.2.5, with the block of padding that PKCS #7 adds', () => {
    const key = hex('603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4');
    const iv = hex('000102030405060708090a0b0c0d0e0f');
    const plain = hex(
      '6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef ' +
        'f69f2445df4f9b17ad2b417be66c3710',
    );
    const blocks = hex(
      'f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d 39f23369a9d9bacfa530e26304231461 ' +
        'b2eb05e2c39be9fcda6c19078c6a9d1b',
    );
    const padding = createCipheriv('aes-256-cbc', key, blocks.subarray(-16))
      .setAutoPadding(false)
      .update(Buffer.alloc(16, 16));
    expect(fromStorage(aesCbc(key), Buffer.concat([iv, blocks, padding])).value).toEqual(plain);
  });

  test('AES-128-GCM reads test case 4 of the specification where its data is the key in the store', () => {
    // The additional data of the published case is no text; the case without any (case 3) is: an empty key.
    const key = hex('feffe9928665731c6d6a8f9467308308');
    const plain = hex(
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525' +
        'b16aedf5aa0de657ba637b391aafd255',
    );
    const stored = Buffer.concat([
      hex('cafebabefacedbaddecaf888'),
      hex(
        '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05' +
          '1ba30b396a0aac973d58e091473f5985',
      ),
      hex('4d5c2af327cd64a62cf35abd2ba6fab4'),
    ]);
    expect(fromStorage(aesGcm(key), stored, { ...context, key: '' }).value).toEqual(plain);
  });

  test('secretbox agrees with the example of the NaCl documentation', () => {
    const key = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
    const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
    const plain = hex(
      'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129' +
        '6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde' +
        '048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
    );
    const box = hex(
      'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a' +
        'c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae' +
        '90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74' +
        'e355a5',
    );
    expect(fromStorage(secretbox(key), Buffer.concat([nonce, box])).value).toEqual(plain);
  });

  test('The derived key is HKDF-Expand of RFC 5869: its first block is HMAC(seed, info, 1)', () => {
    // Test case 1 of the RFC, whose output begins with this block.
    const prk = hex('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5');
    const block = createHmac('sha256', prk).update(hex('f0f1f2f3f4f5f6f7f8f9')).update(Buffer.of(1)).digest();
    expect(block.toString('hex')).toBe('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf');
    const info = Buffer.alloc(32, 7);
    const key = createHmac('sha256', prk).update(info).update(Buffer.of(1)).digest();
    expect(fromStorage(aesGcmWithDerivedKeys(prk), Buffer.concat([info, toStorage(aesGcm(key))])).value).toEqual(value);
  });
});
