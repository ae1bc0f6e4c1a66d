/** Every file that a flag of the API server names: what is said when it is missing, and when its content is wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestAuthorities } from '../../test/support/authorities.ts';
import { startControlPlane } from './control-plane.ts';
import { apiServerFlags } from './flags/api-server/table.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-files-'));
  const { ca, serving } = createTestAuthorities();
  const pair = serving('server');
  const files = {
    'ca.crt': ca.certificate,
    'server.crt': pair.certificate,
    'server.key': pair.key,
    'ca.key': ca.key,
    empty: '',
    garbage: 'not what is wanted: [',
    'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'broken-chain.crt': `${pair.certificate}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    'policy.yaml': 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]\n',
    'no-server.kubeconfig': 'apiVersion: v1\nkind: Config\n',
    'other-kind.yaml': 'apiVersion: v1\nkind: ConfigMap\n',
    'authorizers.yaml':
      'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n' +
      'authorizers: [{type: Webhook, name: w, webhook: {timeout: 3s, unauthorizedTTL: 30s, failurePolicy: Deny, ' +
      'subjectAccessReviewVersion: v1, matchConditionSubjectAccessReviewVersion: v1, ' +
      'connectionInfo: {type: KubeConfigFile, kubeConfigFile: DIR/none}}}]\n',
    'tokens.csv': 'secret,jane\n',
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(path.join(directory, name), content.replaceAll('DIR', directory));
});
afterAll(() => rm(directory, { recursive: true }));

/** What the start says, with the directory as `DIR`. */
async function refusal(flags: readonly string[]): Promise<string> {
  const given = flags.map((flag) => flag.replaceAll('DIR', directory));
  const never = (): Promise<never> => Promise.reject(new Error('the server was started'));
  const error = (await startControlPlane({ flags: given }, never).catch((reason: unknown) => reason)) as Error;
  return error.message.replaceAll(directory, 'DIR');
}

interface FileFlag {
  readonly flag: string;
  /** What the flag needs beside it. */
  readonly beside?: readonly string[];
  /** How its value is written around the file. */
  readonly value?: (file: string) => string;
  /** What is said of a missing file after the name of the flag, where it is not what most flags say. */
  readonly missing?: string;
  /** Files of the directory, each with what is said of it after the name of the flag. */
  readonly wrong: Readonly<Record<string, string | RegExp>>;
}

const yaml = 'yaml: line 1: did not find expected node content';
const otherKind = 'no kind "ConfigMap" is registered for version "v1"';

const authorities = {
  garbage: 'DIR/garbage: data does not contain any valid RSA or ECDSA certificates',
  empty: 'DIR/empty: data does not contain any valid RSA or ECDSA certificates',
  'broken.pem': /^DIR\/broken\.pem: .*asn1/,
};
/** Wrong certificates beside the right key. */
const certificates = (flags: string) => ({
  garbage: `${flags}, or cannot be read as PEM: DIR/garbage, DIR/server.key`,
  'ca.crt': `${flags}, or cannot be read as PEM: DIR/ca.crt, DIR/server.key`,
  'broken-chain.crt': /^DIR\/broken-chain\.crt: .*asn1/,
});
const keys = (flags: string) => ({
  garbage: `${flags}, or cannot be read as PEM: DIR/server.crt, DIR/garbage`,
  'ca.key': `${flags}, or cannot be read as PEM: DIR/server.crt, DIR/ca.key`,
});
const pair = (certificate: string, key: string, ...beside: readonly string[]): FileFlag[] => {
  const flags = (flag: string): string =>
    `--${certificate} and --${key} do not belong together`.replace(`--${flag}`, '');
  return [
    { flag: certificate, beside: [`--${key}=DIR/server.key`, ...beside], wrong: certificates(flags(certificate)) },
    { flag: key, beside: [`--${certificate}=DIR/server.crt`, ...beside], wrong: keys(flags(certificate)) },
  ];
};
const webhook = {
  missing: 'DIR/absent: no such file or directory',
  wrong: {
    garbage: `DIR/garbage: ${yaml}`,
    'no-server.kubeconfig': 'DIR/no-server.kubeconfig: there is no current-context',
    empty: 'DIR/empty: there is no current-context',
  },
};

const rows: readonly FileFlag[] = [
  { flag: 'client-ca-file', wrong: authorities },
  { flag: 'requestheader-client-ca-file', wrong: authorities },
  { flag: 'nodeagent-certificate-authority', wrong: authorities },
  {
    flag: 'peer-ca-file',
    beside: ['--feature-gates=StorageVersionAPI=true,UnknownVersionInteroperabilityProxy=true'],
    wrong: authorities,
  },
  { flag: 'oidc-ca-file', beside: ['--oidc-issuer-url=https://a', '--oidc-client-id=a'], wrong: authorities },
  { flag: 'store-cafile', beside: ['--store-servers=https://127.0.0.1:1'], wrong: authorities },
  ...pair('store-certfile', 'store-keyfile', '--store-servers=https://127.0.0.1:1'),
  ...pair('tls-cert-file', 'tls-private-key-file'),
  ...pair('proxy-client-cert-file', 'proxy-client-key-file'),
  ...pair('nodeagent-client-certificate', 'nodeagent-client-key'),
  {
    flag: 'tls-sni-cert-key',
    value: (file) => `${file},DIR/server.key`,
    wrong: certificates('certificate and key do not belong together'),
  },
  {
    flag: 'token-auth-file',
    wrong: { 'tokens.csv': /^DIR\/tokens\.csv: token file: line 1 must have at least 3 columns/ },
  },
  {
    flag: 'service-account-key-file',
    beside: ['--service-account-issuer=https://a'],
    wrong: { garbage: 'DIR/garbage: data does not contain any valid RSA or ECDSA public keys' },
  },
  {
    flag: 'service-account-signing-key-file',
    beside: ['--service-account-issuer=https://a'],
    wrong: { 'ca.crt': 'DIR/ca.crt: data does not contain a valid RSA or ECDSA private key' },
  },
  {
    flag: 'authentication-config',
    wrong: {
      garbage: `DIR/garbage: ${yaml}`,
      'other-kind.yaml': /^DIR\/other-kind\.yaml: \[apiVersion: Unsupported value: "v1": .*, kind: Unsupported value/,
      empty: 'DIR/empty: the document is no object',
    },
  },
  { flag: 'authentication-token-webhook-config-file', ...webhook },
  {
    flag: 'authorization-config',
    wrong: {
      garbage: `DIR/garbage: ${yaml}`,
      'other-kind.yaml': `DIR/other-kind.yaml: ${otherKind}`,
      empty: 'DIR/empty: it holds no AuthorizationConfiguration',
      'authorizers.yaml':
        /^DIR\/authorizers\.yaml: .*kubeConfigFile: Invalid value: "DIR\/none": must be a regular file/,
    },
  },
  {
    flag: 'authorization-policy-file',
    beside: ['--authorization-mode=ABAC'],
    wrong: { garbage: /^error reading policy file DIR\/garbage, line 1: not what is wanted: \[: / },
  },
  { flag: 'authorization-webhook-config-file', beside: ['--authorization-mode=Webhook'], ...webhook },
  {
    flag: 'admission-control-config-file',
    missing:
      'failed to apply admission: failed to read plugin config: unable to read admission control configuration from ' +
      '"DIR/absent" [open DIR/absent: no such file or directory]',
    wrong: {
      garbage: /^failed to apply admission: .*: yaml: line 1: .* \(in DIR\/garbage\)$/,
      'other-kind.yaml': /^failed to apply admission: .*: no kind "ConfigMap" is .* \(in DIR\/other-kind\.yaml\)$/,
      empty: /^failed to apply admission: .* Object 'Kind' is missing in '' \(in DIR\/empty\)$/,
    },
  },
  {
    flag: 'encryption-provider-config',
    wrong: {
      garbage: `DIR/garbage: error while parsing file: ${yaml}`,
      'other-kind.yaml': `DIR/other-kind.yaml: error while parsing file: ${otherKind}`,
      empty: 'DIR/empty: the encryption provider configuration file is empty',
    },
  },
  {
    flag: 'audit-policy-file',
    beside: ['--audit-log-path=-'],
    wrong: {
      garbage: `DIR/garbage: ${yaml}`,
      'other-kind.yaml': /^DIR\/other-kind\.yaml: \[apiVersion: Unsupported value: "v1": .*, kind: Unsupported value/,
      empty: 'DIR/empty: [apiVersion: Required value, kind: Required value]',
    },
  },
  { flag: 'audit-webhook-config-file', beside: ['--audit-policy-file=DIR/policy.yaml'], ...webhook },
  {
    flag: 'egress-selector-config-file',
    wrong: {
      garbage: `DIR/garbage: failed to read egress selector config: error converting YAML to JSON: ${yaml}`,
      'other-kind.yaml': `DIR/other-kind.yaml: failed to read egress selector config: ${otherKind}`,
      empty: "DIR/empty: failed to read egress selector config: Object 'Kind' is missing in ''",
    },
  },
  {
    flag: 'tracing-config-file',
    wrong: {
      garbage: `DIR/garbage: failed to read tracing config: unable to decode tracing configuration data: ${yaml}`,
      'other-kind.yaml': /^DIR\/other-kind\.yaml: failed to read tracing config: .*no kind "ConfigMap" is registered/,
      empty: /^DIR\/empty: failed to read tracing config: unable to decode tracing configuration data: /,
    },
  },
  {
    flag: 'allow-metric-labels-manifest',
    wrong: {
      garbage: `DIR/garbage is not a map of metricName,labelName to labelValue,labelValue,...: ${yaml}`,
    },
  },
];

/** Of a pair, the first flag stands alone at the beginning of what is said. */
async function expectRefused(
  { flag, beside = [], value = (named) => named }: FileFlag,
  file: string,
  reason: string | RegExp,
): Promise<void> {
  const said = await refusal([...beside, `--${flag}=${value(`DIR/${file}`)}`]);
  const after = said.replace(/^--[\w-]+(: )?/, '');
  expect(said).toContain(`--${flag}`);
  if (typeof reason === 'string') expect(after).toBe(reason);
  else expect(after).toMatch(reason);
}

describe('the files that flags of the API server name', () => {
  test('Each flag that names a file has a row here', () => {
    const named = Object.values(apiServerFlags)
      .flatMap(({ flags }) => Object.values(flags))
      .filter(({ type, support }) => type === 'file' && support === 'supported')
      .map(({ name }) => name);
    expect(named.filter((name) => !rows.some(({ flag }) => flag === name))).toEqual([]);
    expect(named.length).toBeGreaterThan(25);
  });

  test.each(rows)('The start without the file of $flag says which one is missing', async (row) => {
    await expectRefused(row, 'absent', row.missing ?? 'open DIR/absent: no such file or directory');
  });

  test.each(rows.flatMap((row) => Object.entries(row.wrong).map(([file, reason]) => ({ ...row, file, reason }))))(
    'The start with $file as $flag says what is wrong with it',
    async ({ file, reason, ...row }) => expectRefused(row, file, reason),
  );
});
