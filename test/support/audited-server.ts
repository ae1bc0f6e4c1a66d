/** An API server with an audit log, in this process, asked over TLS as named users. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Event } from '../../src/api/gen/types/audit-v1.ts';
import { type ControlPlane, createControlPlane, type Logger } from '../../src/index.ts';
import { Client, type PlainResponse } from '../conformance/golden/client.ts';

export interface AuditedServerOptions {
  /** Rules and the rest of the policy, YAML. Undefined: no policy. */
  readonly policy: string | undefined;
  readonly flags?: readonly string[];
  readonly log?: Logger;
}

interface Answer {
  readonly status: number;
  readonly headers: PlainResponse['headers'];
  readonly text: string;
}

export interface SendOptions {
  readonly user?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class AuditedServer implements AsyncDisposable {
  readonly directory: string;
  readonly controlPlane: ControlPlane;
  readonly client: Client;

  private constructor(directory: string, controlPlane: ControlPlane) {
    this.directory = directory;
    this.controlPlane = controlPlane;
    const ca = /certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!;
    this.client = new Client(Number(new URL(controlPlane.url).port), Buffer.from(ca, 'base64').toString());
  }

  static async start({ policy, flags = [], log }: AuditedServerOptions): Promise<AuditedServer> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-audit-'));
    const file = (name: string): string => path.join(directory, name);
    await writeFile(file('tokens.csv'), 'admin-token,admin,1,"system:masters"\njane-token,jane,2,"devs,ops"\n');
    if (policy !== undefined)
      await writeFile(file('policy.yaml'), `apiVersion: audit.k8s.io/v1\nkind: Policy\n${policy}`);
    const own = [
      `--token-auth-file=${file('tokens.csv')}`,
      ...(policy === undefined ? [] : [`--audit-policy-file=${file('policy.yaml')}`]),
    ];
    const all = [...own, ...flags.map((flag) => flag.replace('DIRECTORY', directory))];
    try {
      return new AuditedServer(
        directory,
        await createControlPlane({ controllers: false, flags: all, ...(log === undefined ? {} : { log }) }),
      );
    } catch (error) {
      await rm(directory, { recursive: true });
      throw error;
    }
  }

  get logPath(): string {
    return path.join(this.directory, 'audit.log');
  }

  async send(
    method: string,
    target: string,
    { user = 'admin', body, headers = {} }: SendOptions = {},
  ): Promise<Answer> {
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const all = {
      ...(user === '' ? {} : { authorization: `Bearer ${user}-token` }),
      ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await this.client.send({
      method,
      path: target,
      headers: all,
      ...(bytes === undefined ? {} : { body: bytes }),
    });
    return { status: response.status, headers: response.headers, text: response.body.toString() };
  }

  /** Lines of the audit log so far. */
  async lines(): Promise<string[]> {
    return (await readFile(this.logPath, 'utf8')).split('\n').slice(0, -1);
  }

  async events(): Promise<Event[]> {
    return (await this.lines()).map((line) => JSON.parse(line) as Event);
  }

  /** The events of one request. */
  async eventsOf(auditId: string): Promise<Event[]> {
    return (await this.events()).filter(({ auditID }) => auditID === auditId);
  }

  /** Sends a request and returns its events. */
  async record(method: string, target: string, options: SendOptions = {}): Promise<Event[]> {
    const { headers } = await this.send(method, target, options);
    return this.eventsOf(headers['audit-id'] as string);
  }

  async metric(name: string): Promise<number> {
    const { text } = await this.send('GET', '/metrics');
    return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  stop(): Promise<void> {
    this.client.close();
    return this.controlPlane.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
