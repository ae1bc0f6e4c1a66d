/**
 * Credentials that a program prints. They are kept until they expire, and fetched again when the server refuses them.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins |
 *   client-go credential plugins}
 */
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import type { ClientConfig } from '../client-config.ts';
import { isPair } from '../../base/key-pair.ts';
import { parseTime } from '../../machinery/time.ts';
import type { ExecObserver } from '../exec-observer.ts';
import type { ClientPair } from '../transport-config.ts';
import { type Fields, fieldsOf, KubeconfigError, text } from './fields.ts';
import type { Entry } from './merge.ts';

export interface ExecOptions {
  /** For `spec.cluster` of the request, when the plugin wants it. */
  readonly cluster: Fields;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly observer?: ExecObserver | undefined;
}

type ExecCredentials = Required<Pick<ClientConfig, 'onUnauthorized'>> & {
  readonly renewedPair: () => Promise<ClientPair | undefined>;
  readonly authorization: () => Promise<string | undefined>;
  /** For what is told of the plugin from now on. */
  observePlugin(observer: ExecObserver): void;
};

interface Credential {
  readonly token: string | undefined;
  readonly pair: ClientPair | undefined;
  readonly expiresAt: number;
}

interface Held {
  readonly pair: ClientPair;
  readonly certificate: X509Certificate;
}

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const modes = ['Never', 'IfAvailable', 'Always'];
const maxOutputBytes = 1024 * 1024;

/** Throws {@link KubeconfigError} for an entry that is not complete. */
export function execCredentials({ fields, folder }: Entry, options: ExecOptions): ExecCredentials {
  const plugin = pluginOf(fields, folder, options);
  let { observer } = options;
  let known: Promise<Credential> | undefined;
  let held: Held | undefined;
  const observed = (credential: Credential): Credential => {
    const { pair } = credential;
    if (observer === undefined || pair?.certificate === held?.pair.certificate) return credential;
    if (held !== undefined) observer.rotated(options.now() - Date.parse(held.certificate.validFrom));
    held = pair && { pair, certificate: new X509Certificate(pair.certificate) };
    observer.holds([plugin.command, ...plugin.args].join(' '), held && Date.parse(held.certificate.validTo));
    return credential;
  };
  const current = async (): Promise<Credential> => {
    const before = known;
    if (before !== undefined && (await before).expiresAt > options.now()) return before;
    // Another call may have begun to fetch them meanwhile.
    if (known === before) {
      known = runPlugin(plugin, { ...options, observer }).then(observed);
      known.catch(() => (known = undefined));
    }
    return known!;
  };
  const authorization = async (): Promise<string | undefined> => {
    const { token } = await current();
    return token === undefined ? undefined : `Bearer ${token}`;
  };
  return {
    observePlugin: (given) => void (observer = given),
    authorization,
    renewedPair: async () => (await current()).pair,
    async onUnauthorized(shown) {
      const before = known;
      // Of several requests that were refused the first one drops the credentials, and the others find new ones.
      if ((await authorization()) === shown && known === before) known = undefined;
      await current();
      return true;
    },
  };
}

interface Plugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly installHint: string;
  readonly isInteractive: boolean;
}

function pluginOf(fields: Fields, folder: string, { cluster, environment, isInteractive }: ExecOptions): Plugin {
  const apiVersion = text(fields, 'apiVersion');
  const command = text(fields, 'command');
  const mode = text(fields, 'interactiveMode') || (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : '');
  if (command === '') throw new KubeconfigError('exec: command is missing');
  if (!versions.includes(apiVersion))
    throw new KubeconfigError(`exec: apiVersion ${JSON.stringify(apiVersion)} is none of ${versions.join(', ')}`);
  if (!modes.includes(mode))
    throw new KubeconfigError(`exec: interactiveMode ${JSON.stringify(mode)} is none of ${modes.join(', ')}`);
  if (mode === 'Always' && !isInteractive)
    throw new KubeconfigError(`exec plugin ${command} needs a terminal, and standard input is none`);
  const asks = mode !== 'Never' && isInteractive;
  const spec = { ...(fields['provideClusterInfo'] === true ? { cluster } : {}), interactive: asks };
  const own = (Array.isArray(fields['env']) ? fields['env'] : []).map(fieldsOf);
  return {
    apiVersion,
    // A path counts from the file; a name alone is looked up in PATH.
    command: command.includes(path.sep) ? path.resolve(folder, command) : command,
    args: (Array.isArray(fields['args']) ? fields['args'] : []).map(String),
    environment: {
      ...environment,
      ...Object.fromEntries(own.map((variable) => [text(variable, 'name'), text(variable, 'value')])),
      KUBERNETES_EXEC_INFO: JSON.stringify({ kind: 'ExecCredential', apiVersion, spec }),
    },
    installHint: text(fields, 'installHint'),
    isInteractive: asks,
  };
}

function runPlugin(plugin: Plugin, { now, observer }: ExecOptions): Promise<Credential> {
  const { command, args, environment, installHint, isInteractive } = plugin;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`exec plugin ${command}: ${why}`));
    const child = spawn(command, args, {
      env: environment as NodeJS.ProcessEnv,
      stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    });
    const pieces: Buffer[] = [];
    let bytes = 0;
    child.stdout!.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxOutputBytes) child.kill();
      else pieces.push(piece);
    });
    let isStarted = true;
    child.once('error', (error: NodeJS.ErrnoException) => {
      isStarted = false;
      const isFile = ['ENOENT', 'EACCES', 'ENOTDIR'].includes(error.code ?? '');
      observer?.called({ status: isFile ? 'plugin_not_found_error' : 'client_internal_error', code: 1 });
      fail(error.code === 'ENOENT' ? `not found${installHint === '' ? '' : `. ${installHint}`}` : error.message);
    });
    child.once('close', (code, signal) => {
      if (!isStarted) return;
      // As Go has the code of a process that a signal has ended.
      observer?.called({ status: code === 0 ? 'no_error' : 'plugin_execution_error', code: code ?? -1 });
      if (bytes > maxOutputBytes) return fail('it printed more than 1 MiB');
      if (code !== 0) return fail(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
      try {
        resolve(credentialIn(Buffer.concat(pieces).toString(), plugin.apiVersion, now));
      } catch (error) {
        fail((error as Error).message);
      }
    });
  });
}

function credentialIn(output: string, apiVersion: string, now: () => number): Credential {
  const printed = fieldsOf(parsed(output));
  if (text(printed, 'kind') !== 'ExecCredential') throw new Error('it printed no ExecCredential');
  if (text(printed, 'apiVersion') !== apiVersion)
    throw new Error(`it printed version ${JSON.stringify(text(printed, 'apiVersion'))} instead of ${apiVersion}`);
  const status = fieldsOf(printed['status']);
  const [token, certificate, key] = [
    text(status, 'token'),
    text(status, 'clientCertificateData'),
    text(status, 'clientKeyData'),
  ];
  if (token === '' && certificate === '' && key === '') throw new Error('it printed neither token nor certificate');
  if ((certificate === '') !== (key === '')) throw new Error('it printed only one of certificate and key');
  if (certificate !== '' && !isPair(certificate, key))
    throw new Error('its certificate and key do not belong together');
  const expires = text(status, 'expirationTimestamp');
  const expiresAt = expires === '' ? Number.POSITIVE_INFINITY : parseTime(expires).seconds * 1000;
  // What has expired already is shown once: the server's clock may differ.
  return {
    token: token === '' ? undefined : token,
    pair: certificate === '' ? undefined : { certificate, key },
    expiresAt: Math.max(expiresAt, now() + 1),
  };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    throw new Error('it printed something that is no JSON');
  }
}
