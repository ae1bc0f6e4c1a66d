/** Requests with nothing made prettier on the way: headers as given, even twice, and any client certificate. */
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type http2 from 'node:http2';
import { once } from 'node:events';
import { startApiServer } from '../../src/cmd/start-api-server.ts';
import { startControlPlane } from '../../src/cmd/control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from '../../src/cmd/control-plane-types.ts';

export interface Call {
  readonly method?: string;
  readonly path?: string;
  /** Names and values alternately. */
  readonly headers?: readonly string[];
  readonly body?: unknown;
  readonly certificate?: { readonly certificate: string; readonly key: string };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface TestServer extends ControlPlane {
  readonly ca: string;
  call(call: Call): Promise<Answer>;
  /** The user that the server authenticates: that of a SelfSubjectReview, or the status code. */
  whoAmI(call: Call): Promise<unknown>;
}

/** A control plane in this process, with the program's own parts. */
export async function startTestServer(
  options: ControlPlaneOptions,
  around?: Parameters<typeof startControlPlane>[2],
): Promise<TestServer> {
  const controlPlane = await startControlPlane(options, startApiServer, around);
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!, 'base64').toString();
  const call = (request: Call): Promise<Answer> => callServer(controlPlane.url, ca, request);
  return { ...controlPlane, ca, call, whoAmI: (request) => whoAmI(call, request) };
}

async function whoAmI(call: TestServer['call'], request: Call): Promise<unknown> {
  const answer = await call({
    ...request,
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
  });
  return answer.status === 201 ? (answer.body as { status: { userInfo: unknown } }).status.userInfo : answer.status;
}

export async function callServer(
  url: string,
  ca: string,
  { method = 'GET', path = '/api', headers = [], body, certificate }: Call,
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const request = https.request({
    host: hostname,
    port,
    ca,
    servername: 'localhost',
    method,
    path,
    agent: false,
    headers: [
      'host',
      'localhost',
      ...headers,
      ...(content === undefined
        ? []
        : [
            ...(headers.includes('content-type') ? [] : ['content-type', 'application/json']),
            'content-length',
            String(content.length),
          ]),
    ] as unknown as Record<string, string>,
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
  });
  request.end(content);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks = await response.toArray();
  return answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks as Buffer[]).toString());
}

/** The same over HTTP/2. */
export async function callServer2(
  session: http2.ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const stream = session.request({ ':path': path, ...headers });
  const [response] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const chunks = await stream.toArray();
  return answerOf(
    Number(response[':status']),
    response as Answer['headers'],
    Buffer.concat(chunks as Buffer[]).toString(),
  );
}

function answerOf(status: number, headers: Answer['headers'], text: string): Answer {
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status, headers, text, body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {} };
}
