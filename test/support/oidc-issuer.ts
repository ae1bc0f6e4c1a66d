/** A certified OpenID provider over TLS, whose tokens say what a test wants, and whose keys can be changed. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { CompactSign } from 'jose';
import { Provider } from 'oidc-provider';
import type { Openssl } from './openssl.ts';

export const clientId = 'orch';
const grant = 'urn:example:any-claims';

export class OidcIssuer implements AsyncDisposable {
  /** PEM */
  readonly ca: string;
  readonly #server: https.Server;
  #port = 0;
  #provider: Provider | undefined;
  #key: { readonly id: string; readonly secret: KeyObject } | undefined;
  /** Requests for keys. */
  keyRequests = 0;
  /** What is answered beside what a provider answers, by path. */
  readonly pages = new Map<
    string,
    (authorization: string | undefined) => Promise<{ status: number; body: string; headers?: Record<string, string> }>
  >();

  private constructor(ca: string, server: https.Server) {
    this.ca = ca;
    this.#server = server;
    server.on('request', (request, response) => {
      if (request.url === '/jwks') this.keyRequests++;
      const page = this.pages.get(request.url ?? '');
      if (page !== undefined)
        return void page(request.headers.authorization).then(({ status, body, headers = {} }) =>
          response.writeHead(status, headers).end(body),
        );
      void this.#provider!.callback()(request, response);
    });
  }

  static async start(openssl: Openssl): Promise<OidcIssuer> {
    const ca = await openssl.authority('issuer-ca');
    const shown = await openssl.issue({
      subject: '/CN=issuer',
      issuer: ca,
      extensions: ['extendedKeyUsage=serverAuth', 'subjectAltName=DNS:localhost'],
    });
    const issuer = new OidcIssuer(ca.certificate, https.createServer({ cert: shown.certificate, key: shown.key }));
    await issuer.listen();
    issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `https://localhost:${this.#port}`;
  }

  /** Again under the same address. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, 'localhost');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async goAway(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Signs with a new key from now on, and publishes no other. */
  rotate(): void {
    const secret = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const id = randomUUID();
    this.#key = { id, secret };
    const key = secret.export({ format: 'jwk' });
    this.#provider = new Provider(this.url, {
      clients: [
        {
          client_id: clientId,
          client_secret: 'secret',
          grant_types: [grant],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...key, kid: id, use: 'sig', alg: 'RS256' } as never] },
      cookies: { keys: ['secret'] },
      features: { devInteractions: { enabled: false } },
    });
    const provider = this.#provider;
    provider.registerGrantType(
      grant,
      async (ctx) => {
        const { sub = 'nobody', ...claims } = JSON.parse(ctx.oidc.params!['claims_json'] as string) as { sub?: string };
        const token = new provider.IdToken({ sub }, { ctx });
        for (const [name, value] of Object.entries(claims)) token.set(name, value as never);
        Object.assign(token, { scope: 'openid' });
        ctx.body = { id_token: await token.issue({ use: 'idtoken' }), token_type: 'Bearer', access_token: 'none' };
      },
      ['claims_json'],
    );
  }

  /** An ID token with these claims beside those that every one has. */
  async token(claims: Readonly<Record<string, unknown>>): Promise<string> {
    const servedVersion = new URLSearchParams({
      grant_type: grant,
      client_id: clientId,
      client_secret: 'secret',
      claims_json: JSON.stringify(claims),
    });
    const request = https.request(`${this.url}/token`, {
      method: 'POST',
      ca: this.ca,
      agent: false,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    request.end(servedVersion.toString());
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const body = Buffer.concat((await response.toArray()) as Buffer[]).toString();
    if (response.statusCode !== 200) throw new Error(body);
    return (JSON.parse(body) as { id_token: string }).id_token;
  }

  /** The public key, as the issuer publishes it. */
  get publicKey(): string {
    return createPublicKey(this.#key!.secret).export({ type: 'spki', format: 'pem' }) as string;
  }

  /** The keys that the provider publishes, as JWK. */
  publishedKeys(): object[] {
    return [
      { ...createPublicKey(this.#key!.secret).export({ format: 'jwk' }), kid: this.#key!.id, use: 'sig', alg: 'RS256' },
    ];
  }

  /** What the provider would never say, signed with its key, or with another one. */
  sign(
    claims: object,
    { alg = 'RS256', key = this.#key!.secret }: { readonly alg?: string; readonly key?: KeyObject | Uint8Array } = {},
  ): Promise<string> {
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg, kid: this.#key!.id })
      .sign(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }
}
