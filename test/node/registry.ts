/**
 * A registry without TLS on loopback, with the images of the sandbox under any repository: `NAME/busybox:1`. The
 * configuration of an image names registry and repository, so that each has a digest of its own. `private/…` wants a
 * password, `none` does not exist.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

export interface TestRegistry {
  /** `127.0.0.1:45678` */
  readonly host: string;
  close(): Promise<void>;
}

interface Manifest {
  readonly config: { readonly mediaType: string; readonly digest: string; readonly size: number };
  readonly layers: readonly { readonly digest: string }[];
}

interface Index {
  readonly manifests: readonly { readonly digest: string; readonly annotations?: Readonly<Record<string, string>> }[];
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const password = `Basic ${Buffer.from('golden:secret').toString('base64')}`;
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** @param directory of the sandbox @param work for its unpacked images */
export async function serveImages(directory: string, work: string): Promise<TestRegistry> {
  const layout = path.join(work, 'oci');
  await mkdir(layout, { recursive: true });
  await promisify(execFile)('tar', ['-xf', path.join(directory, 'images.tar'), '-C', layout]);
  const blob = (digest: string): string => path.join(layout, 'blobs/sha256', digest.slice('sha256:'.length));
  const read = async <T>(digest: string): Promise<T> => JSON.parse(await readFile(blob(digest), 'utf8')) as T;
  const index = JSON.parse(await readFile(path.join(layout, 'index.json'), 'utf8')) as Index;
  let host = '';
  /** What is made for repositories, by its digest. */
  const made = new Map<string, Buffer>();
  const keep = (value: object): { readonly digest: string; readonly size: number } => {
    const bytes = Buffer.from(JSON.stringify(value));
    const digest = digestOf(bytes);
    made.set(digest, bytes);
    return { digest, size: bytes.length };
  };
  const manifestOf = async (repository: string): Promise<string | undefined> => {
    const name = `node.test/${path.posix.basename(repository)}:1`;
    const found = index.manifests.find(({ annotations }) => annotations?.['io.containerd.image.name'] === name);
    if (found === undefined) return undefined;
    const manifest = await read<Manifest>(found.digest);
    const config = keep({ ...(await read<object>(manifest.config.digest)), author: `${host}/${repository}` });
    return keep({ ...manifest, mediaType: manifestType, config: { ...manifest.config, ...config } }).digest;
  };
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const [, repository = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? [];
    if (repository.startsWith('private/') && request.headers.authorization !== password) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="golden"' }).end();
      return;
    }
    const digest = kind === 'manifests' && reference === '1' ? await manifestOf(repository) : reference;
    const type = kind === 'manifests' ? manifestType : 'application/octet-stream';
    const headers = { 'content-type': type, 'docker-content-digest': digest };
    const bytes = made.get(digest ?? '');
    if (bytes !== undefined) {
      response.writeHead(200, { ...headers, 'content-length': bytes.length });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    } else if (digest?.startsWith('sha256:') === true) {
      const file = createReadStream(blob(digest));
      await once(file, 'open');
      file.pipe(response.writeHead(200, headers));
    } else response.writeHead(404, { 'content-type': 'application/json' }).end('{"errors":[]}');
  };
  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(404).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
