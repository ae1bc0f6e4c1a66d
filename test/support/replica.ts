/** An API server on an etcd, asked over HTTP as an administrator. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createControlPlane } from '../../src/index.ts';
import { Client } from '../conformance/golden/client.ts';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  readonly warnings: readonly string[];
  readonly etag: string | undefined;
}

export interface Replica extends AsyncDisposable {
  readonly url: string;
  send<T>(method: string, path: string, body?: unknown, contentType?: string, accept?: string): Promise<Answer<T>>;
  /** Repeats a GET until the answer is as wanted. Throws after ten seconds. */
  until<T>(path: string, isWanted: (answer: Answer<T>) => boolean): Promise<Answer<T>>;
  /** Resolves with the events when the server ends the watch. */
  watch(path: string): Promise<{ readonly events: Promise<string>; close(): void }>;
}

const attempts = 500;
const pauseMs = 20;
/** Tests of what happens at once send this much at once. */
const maxSockets = 64;

/** @param etcdUrl undefined for a server with a store of its own, in memory */
export async function startReplica(etcdUrl?: string, ...more: readonly string[]): Promise<Replica> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-replica-'));
  const tokens = path.join(directory, 'tokens.csv');
  await writeFile(tokens, 'admintoken,admin,1,"system:masters"\n');
  const controlPlane = await createControlPlane({
    controllers: false,
    flags: [...(etcdUrl === undefined ? [] : [`--store-servers=${etcdUrl}`]), `--token-auth-file=${tokens}`, ...more],
  });
  const ca = /certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!;
  const client = new Client(
    Number(new URL(controlPlane.url).port),
    Buffer.from(ca, 'base64').toString(),
    'localhost',
    maxSockets,
  );
  const authorization = 'Bearer admintoken';
  const send = async <T>(
    method: string,
    url: string,
    body?: unknown,
    contentType = 'application/json',
    accept = 'application/json',
  ): Promise<Answer<T>> => {
    const response = await client.send({
      method,
      path: url,
      headers: { authorization, 'content-type': contentType, accept },
      ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
    });
    const text = response.body.toString();
    const warnings = [response.headers['warning'] ?? []]
      .flat()
      .map((warning) => /"([\s\S]*)"$/.exec(warning)?.[1] ?? warning);
    return {
      status: response.status,
      warnings,
      etag: response.headers['etag'] as string | undefined,
      body: (text.startsWith('{') ? JSON.parse(text) : text) as T,
    };
  };
  return {
    url: controlPlane.url,
    send,
    async until<T>(url: string, isWanted: (answer: Answer<T>) => boolean) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const answer = await send<T>('GET', url);
        if (isWanted(answer)) return answer;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      throw new Error(`${url} did not become what was waited for`);
    },
    async watch(url: string) {
      let text = '';
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const opened = await client.open(
        { method: 'GET', path: url, headers: { authorization } },
        (chunk) => (text += chunk.toString()),
        () => end(),
      );
      return { events: ended.then(() => text), close: () => opened.close() };
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await controlPlane.close();
      await rm(directory, { recursive: true });
    },
  };
}
