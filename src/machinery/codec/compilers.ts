import { compileDecode, compileFill } from './compile-decode.ts';
import { compileEncode } from './compile-encode.ts';
import { compileNormalize } from './compile-normalize.ts';
import { compileToJson } from './compile-to-json.ts';
import { compileTranscode } from './compile-transcode.ts';
import type { Compilers } from './link.ts';

export const compilers: Compilers = {
  decode: compileDecode,
  fill: compileFill,
  encode: compileEncode,
  normalize: compileNormalize,
  toJson: compileToJson,
  transcode: compileTranscode,
};
