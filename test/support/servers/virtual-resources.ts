/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestServer, type Answer, type TestServer } from '../test-server.ts';

export interface Status {
  readonly message: string;
  readonly reason?: string;
  readonly details?: object;
}

export let server: TestServer;

export function startBeforeTests(): void {
  beforeAll(async () => {
    server = await startTestServer({
      flags: ['--disable-admission-plugins=ServiceAccount', '--authorization-mode=RBAC'],
      settled: true,
    });
  });

  afterAll(() => server[Symbol.asyncDispose]());

  beforeEach(() => {
    name = `p${++count}`;
    pod = `${core}/pods/${name}`;
  });
}

export const core = '/api/v1/namespaces/default';

export const post = (path: string, body: object, user: 'admin' | 'alice' = 'admin'): Promise<Answer> =>
  server.send('POST', path, { body, user });

export const refusal = (answer: Answer): object => {
  const { message, reason, details } = answer.json<Status>();
  return {
    code: answer.status,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  };
};

export let count = 0;

export let name = '';

export let pod = '';

export const createPod = async (
  spec: object = {},
  labels: object = {},
): Promise<{ metadata: { uid: string; resourceVersion: string } }> =>
  (
    await post(`${core}/pods`, {
      metadata: { name, labels },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    })
  ).json();
