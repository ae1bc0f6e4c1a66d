/** A server with the users and the audit log of the recorded one, and the play of its webhooks. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createControlPlane } from '../../../../src/index.ts';
import { Client } from '../client.ts';
import { WebhookPlay } from './webhook-play.ts';

export interface RecordedServer {
  readonly flags: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Of its users, where they are not numbers. */
  readonly uids?: { readonly admin: string; readonly alice: string };
}

export interface AdmissionServer extends AsyncDisposable {
  readonly client: Client;
  readonly play: WebhookPlay;
  /** Of the last event of a request. */
  annotations(auditId: string): Promise<Readonly<Record<string, string>>>;
}

/** In texts of cases `<dir>` is the folder with the files. */
export async function startAdmissionServer({ flags, files, uids }: RecordedServer): Promise<AdmissionServer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-golden-admission-'));
  await mkdir(directory, { recursive: true });
  const tokens = path.join(directory, 'tokens.csv');
  await writeFile(
    tokens,
    `admin-token,admin,${uids?.admin ?? 1},"system:masters"\nalice-token,alice,${uids?.alice ?? 2},"devs"\n`,
  );
  const play = await WebhookPlay.start();
  const texts: Readonly<Record<string, string>> = { ...play.addresses, dir: directory, 'ca pem': play.ca };
  for (const [name, text] of Object.entries(files))
    await writeFile(
      path.join(directory, name),
      text.replace(/<([a-z ]+)>/g, (all, key: string) => texts[key] ?? all),
    );
  const controlPlane = await createControlPlane({
    controllers: false,
    flags: [
      `--token-auth-file=${tokens}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      ...(flags.some((flag) => flag.startsWith('--authorization-mode=')) ? [] : ['--authorization-mode=RBAC']),
      '--endpoint-reconciler-type=none',
      '--service-account-issuer=https://localhost:7643',
      ...flags.map((flag) => flag.replaceAll('<dir>', directory)),
    ],
  });
  const ca = /certificate-authority-data: (\S+)/.exec(controlPlane.kubeconfig)![1]!;
  const client = new Client(Number(new URL(controlPlane.url).port), Buffer.from(ca, 'base64').toString());
  return {
    client,
    play,
    annotations: (auditId) => annotationsOf(path.join(directory, 'audit.log'), auditId),
    async [Symbol.asyncDispose]() {
      client.close();
      await controlPlane.close();
      await play[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

async function annotationsOf(file: string, auditId: string): Promise<Record<string, string>> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes(auditId));
    const event = lines
      .map((line) => JSON.parse(line) as AuditEvent)
      .find(({ auditID, stage }) => auditID === auditId && stage === 'ResponseComplete');
    if (event !== undefined)
      return Object.fromEntries(
        Object.entries(event.annotations ?? {}).filter(([key]) => !key.startsWith('authorization.k8s.io/')),
      );
    await sleep(10);
  }
  throw new Error(`there is no event ResponseComplete of ${auditId}`);
}
