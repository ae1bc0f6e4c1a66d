/** A control plane with several users, and requests in their names. */
import { Agent, request } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlaneOptions, createControlPlane } from '../../src/index.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed JSON, or the text. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface Call {
  readonly body?: object | string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiUsers extends AsyncDisposable {
  readonly url: string;
  /** PEM of the authority of the server. */
  readonly ca: string;
  readonly kubeconfigPath: string;
  readonly directory: string;
  /** @param user the user of the request; undefined for an anonymous one */
  call(user: string | undefined, method: string, path: string, call?: Call): Promise<Answer>;
  /** Asks until the answer is as wanted: what an object allows is known a moment after it was written. */
  until(
    user: string | undefined,
    method: string,
    path: string,
    wanted: (answer: Answer) => boolean,
    call?: Call,
  ): Promise<Answer>;
  /** As `admin`; throws unless it was created. */
  create(path: string, body: object): Promise<Answer>;
}

/** @param users groups by user name; `admin` is in system:masters */
export async function startApiUsers(
  users: Readonly<Record<string, readonly string[]>>,
  flags: readonly string[],
  options: Pick<ControlPlaneOptions, 'dataDir' | 'fileCheckMs' | 'log'> = {},
): Promise<ApiUsers> {
  const directory = await mkdtemp(join(tmpdir(), 'orch-users-'));
  const all = { admin: ['system:masters'], ...users };
  const tokens = join(directory, 'tokens.csv');
  await writeFile(
    tokens,
    Object.entries(all)
      .map(([name, groups]) => `token-${name},${name},uid-${name},"${groups.join(',')}"\n`)
      .join(''),
  );
  const controlPlane = await createControlPlane({
    controllers: false,
    flags: [`--token-auth-file=${tokens}`, ...flags],
    ...options,
  });
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!, 'base64');
  const agent = new Agent({ keepAlive: true, ca });
  const call: ApiUsers['call'] = (user, method, path, options = {}) =>
    send(agent, `${controlPlane.url}${path}`, method, user, options);
  return {
    url: controlPlane.url,
    ca: ca.toString(),
    kubeconfigPath: controlPlane.kubeconfigPath,
    directory,
    call,
    async until(user, method, path, wanted, options) {
      for (;;) {
        const answer = await call(user, method, path, options);
        if (wanted(answer)) return answer;
      }
    },
    async create(path, body) {
      const answer = await call('admin', 'POST', path, { body });
      if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await controlPlane.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function send(
  agent: Agent,
  url: string,
  method: string,
  user: string | undefined,
  { body, contentType = 'application/json', headers = {} }: Call,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        agent,
        method,
        headers: {
          ...(user === undefined ? {} : { authorization: `Bearer token-${user}` }),
          ...(body === undefined ? {} : { 'content-type': contentType }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          // A 304 has the type of what it stands for, and no body.
          const isJson = text !== '' && (response.headers['content-type'] ?? '').includes('json');
          resolve({ status: response.statusCode!, headers: response.headers, body: isJson ? JSON.parse(text) : text });
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}
