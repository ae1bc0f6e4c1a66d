/** The body of an HTML answer with its links replaced, decompressed and compressed again where it has to be. */
import { pipeline, type Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { HtmlLinks } from './html-links.ts';

/** What bodies can be encoded with and still be read here. */
const codings: Readonly<Record<string, () => readonly [decode: Transform, encode: Transform]>> = {
  gzip: () => [zlib.createGunzip(), zlib.createGzip()],
  deflate: () => [zlib.createInflateRaw(), zlib.createDeflateRaw()],
};

/** Undefined where the encoding is not known: the answer stays as it is. */
export function rewrittenBody(
  body: Readable,
  encoding: string,
  replace: (url: string) => string,
): Readable | undefined {
  const links = new HtmlLinks(replace);
  const rewrite = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, bytes(links.write(chunk.toString('latin1')))),
    flush: (done) => done(null, bytes(links.end())),
  });
  if (encoding === '') return pipeline(body, rewrite, failed);
  const coding = codings[encoding];
  if (coding === undefined) return undefined;
  const [decode, encode] = coding();
  return pipeline(body, decode, rewrite, encode, failed);
}

/** The stream that is returned has failed as well, and its reader sees it. */
const failed = (): void => undefined;

/** A character for each byte: what is between tags is handed on as it is, whatever it means. */
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
