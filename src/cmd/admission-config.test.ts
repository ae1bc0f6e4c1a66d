import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PluginConfiguration } from '../apiserver/admission/configuration/plugin-configuration.ts';
import type { Kubeconfig } from '../client/kubeconfig/merge.ts';
import { readAdmissionConfig } from './admission-config.ts';
import { UserError } from './user-error.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-admission-'));
});
afterAll(() => rm(directory, { recursive: true }));

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const plugin = (name: string): string => `${head}plugins:\n- name: ${name}\n  path: config.yaml\n`;
const kubeconfig =
  'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: https://127.0.0.1:1}}]\n' +
  'contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n' +
  'users: [{name: "*.svc", user: {tokenFile: token}}]\n';
const parsedKubeconfig: Kubeconfig = {
  currentContext: 'x',
  contexts: new Map([['x', { fields: { cluster: 'c' }, folder: 'DIR' }]]),
  clusters: new Map([['c', { fields: { server: 'https://127.0.0.1:1' }, folder: 'DIR' }]]),
  users: new Map([['*.svc', { fields: { tokenFile: 'token' }, folder: 'DIR' }]]),
};

/** Without what is undefined, maps as their entries, and the directory as `DIR`. */
const comparable = (configuration: PluginConfiguration): unknown =>
  JSON.parse(
    JSON.stringify(configuration, (_, value: unknown) => (value instanceof Map ? [...value] : value)).replaceAll(
      directory,
      'DIR',
    ),
  );

interface Given {
  /** `DIR` in it is the directory of the files. */
  readonly admission: string;
  readonly config?: string;
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

async function read({ admission, config, enable = [], disable = [] }: Given): Promise<{
  readonly configuration: PluginConfiguration;
  readonly warnings: readonly string[];
}> {
  const file = path.join(directory, 'admission.yaml');
  const own = path.join(directory, 'config.yaml');
  await rm(own, { force: true });
  await writeFile(file, admission.replaceAll('DIR', directory));
  await writeFile(path.join(directory, 'kubeconfig'), kubeconfig);
  if (config !== undefined) await writeFile(own, config.replaceAll('DIR', directory));
  const warnings: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    warn: (details: object, text: string) => void warnings.push(`${(details as { plugin: string }).plugin}: ${text}`),
  };
  const options = { configFile: file, enablePlugins: enable, disablePlugins: disable };
  return { configuration: await readAdmissionConfig(options as never, log), warnings };
}

const limits = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n';
const tolerations = 'apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n';
const security = 'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n';
const quota = 'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n';
const webhook = 'apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n';

describe('the configuration of admission plugins', () => {
  test.each<{ name: string; given: Given; expected: PluginConfiguration }>([
    {
      name: 'rates of events, with the usual size of the cache',
      given: {
        admission: plugin('EventRateLimit'),
        config: `${limits}limits: [{type: User, qps: 1, burst: 2}, {type: Server, qps: 3, burst: 4, cacheSize: 5}]`,
        enable: ['EventRateLimit'],
      },
      expected: {
        eventRateLimit: [
          { type: 'User', qps: 1, burst: 2, cacheSize: 4096 },
          { type: 'Server', qps: 3, burst: 4, cacheSize: 5 },
        ],
      },
    },
    {
      name: 'a configuration that is embedded, in a document of another version and in our spelling',
      given: {
        admission:
          'apiVersion: apiserver.orch.io/v1alpha1\nkind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n' +
          '  path: not-read.yaml\n  configuration:\n    apiVersion: pod-security.admission.config.orch.io/v1beta1\n' +
          '    kind: PodSecurityConfiguration\n    defaults: {enforce: baseline, enforce-version: v1.30}\n' +
          '    exemptions: {usernames: [root], namespaces: [kube-system], runtimeClasses: [kata]}\n',
      },
      expected: {
        podSecurity: {
          defaults: {
            enforce: { level: 'baseline', version: 30 },
            audit: { level: 'privileged', version: 'latest' },
            warn: { level: 'privileged', version: 'latest' },
          },
          exemptions: { usernames: ['root'], namespaces: ['kube-system'], runtimeClasses: ['kata'] },
        },
      },
    },
    {
      name: 'resources that need a quota',
      given: {
        admission: plugin('ResourceQuota'),
        config:
          `${quota}limitedResources:\n- resource: pods\n  matchScopes:\n` +
          '  - {scopeName: PriorityClass, operator: In, values: [high]}\n- {resource: things, apiGroup: x.io}\n',
      },
      expected: {
        resourceQuota: [
          {
            apiGroup: '',
            resource: 'pods',
            matchContains: [],
            matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
          },
          { apiGroup: 'x.io', resource: 'things', matchContains: [], matchScopes: [] },
        ],
      },
    },
    {
      name: 'resources that need a quota, in the older kind',
      given: {
        admission: plugin('ResourceQuota'),
        config: 'apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\n',
      },
      expected: { resourceQuota: [] },
    },
    {
      name: 'tolerations',
      given: {
        admission: plugin('PodTolerationRestriction'),
        config: `${tolerations}default: [{key: a, operator: Exists}]\n`,
        enable: ['PodTolerationRestriction'],
      },
      expected: { podTolerationRestriction: { default: [{ key: 'a', operator: 'Exists' }], whitelist: [] } },
    },
    {
      name: 'files with credentials for webhooks',
      given: {
        admission: `${plugin('MutatingAdmissionWebhook')}- name: ValidatingAdmissionWebhook\n  path: DIR/config.yaml\n`,
        config: `${webhook}kubeConfigFile: DIR/kubeconfig\n`,
      },
      expected: { mutatingWebhookKubeconfig: parsedKubeconfig, validatingWebhookKubeconfig: parsedKubeconfig },
    },
    {
      name: 'one file for both plugins whose configuration has no kind, named by the option itself',
      given: {
        admission:
          'imagePolicy: {kubeConfigFile: DIR/kubeconfig, allowTTL: 10, denyTTL: -1}\n' +
          'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: a=b, team: c=d}\n',
        enable: ['ImagePolicyWebhook', 'PodNodeSelector'],
      },
      expected: {
        imagePolicy: {
          kubeConfigFile: 'DIR/kubeconfig',
          allowTtlMs: 10_000,
          denyTtlMs: 0,
          retryBackoffMs: 500,
          defaultAllow: false,
        },
        podNodeSelector: { clusterDefault: 'a=b', allowed: { team: 'c=d' } },
      },
    },
    { name: 'no plugin', given: { admission: head }, expected: {} },
  ])('A document has $name', async ({ given, expected }) => {
    const { configuration } = await read(given);
    expect(comparable(configuration)).toEqual(comparable(expected));
  });

  test.each<{ name: string; given: Given; warnings: readonly string[] }>([
    {
      name: 'that does not run, whose file is not read',
      given: { admission: plugin('EventRateLimit') },
      warnings: ['EventRateLimit: an admission plugin is configured that does not run'],
    },
    {
      name: 'that has nothing to configure',
      given: { admission: plugin('Priority') },
      warnings: ['Priority: an admission plugin is configured that has nothing to configure'],
    },
  ])('The log warns of the configuration of a plugin $name', async ({ given, warnings }) => {
    expect(await read(given)).toEqual({ configuration: {}, warnings });
  });

  const failed = '--admission-control-config-file: failed to apply admission:';
  const unread = `${failed} failed to read plugin config:`;
  const init = (name: string): string => `${failed} couldn't init admission plugin "${name}":`;
  test.each<{ name: string; given: Given; message: string }>([
    {
      name: 'of another version',
      given: { admission: 'apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration\n' },
      message:
        `${unread} no kind "AdmissionConfiguration" is registered for version ` +
        '"apiserver.config.k8s.io/v2" (in DIR/admission.yaml)',
    },
    {
      name: 'without a kind',
      given: { admission: 'plugins: []\n' },
      message: `${unread} Object 'Kind' is missing in 'plugins: []' (in DIR/admission.yaml)`,
    },
    {
      name: 'with a key twice',
      given: { admission: `${head}plugins: []\nplugins: []\n` },
      message:
        `${unread} strict decoding error: yaml: unmarshal errors:\n` +
        '  line 4: key "plugins" already set in map (in DIR/admission.yaml)',
    },
    {
      name: 'with a plugin that does not exist, one without a name and one that is there twice',
      given: { admission: `${head}plugins: [{name: Nope}, {}, {name: Priority}, {name: Priority}]\n` },
      message:
        `${unread} [plugins[0].name: Invalid value: "Nope": there is no admission ` +
        'plugin of this name, plugins[1].name: Required value, plugins[3].name: Duplicate value: "Priority"] ' +
        '(in DIR/admission.yaml)',
    },
    {
      name: 'with a member of the wrong type',
      given: { admission: `${head}plugins: {}\n` },
      message:
        `${unread} json: cannot unmarshal object into Go struct field ` +
        'AdmissionConfiguration.plugins of type []v1.AdmissionPluginConfiguration (in DIR/admission.yaml)',
    },
    {
      name: 'whose plugin has an unknown field in its file',
      given: { admission: plugin('PodSecurity'), config: `${security}defaults: {enforced: baseline}\n` },
      message: `${init('PodSecurity')} strict decoding error: unknown field "defaults.enforced" (in DIR/config.yaml)`,
    },
    {
      name: 'whose embedded configuration is wrong',
      given: { admission: `${head}plugins: [{name: PodSecurity, configuration: {kind: Pod, apiVersion: v1}}]\n` },
      message: `${init('PodSecurity')} no kind "Pod" is registered for version "v1" (in DIR/admission.yaml)`,
    },
    {
      name: 'with levels, versions and exemptions that do not exist',
      given: {
        admission: plugin('PodSecurity'),
        config:
          `${security}defaults: {enforce: none, audit-version: "1.2"}\n` +
          `exemptions: {namespaces: [Bad, a, a], usernames: [""], runtimeClasses: [x_y]}\n`,
      },
      message:
        `${init('PodSecurity')} [defaults.enforce: Invalid value: "none": must be one of privileged, baseline, ` +
        'restricted, defaults.audit-version: Invalid value: "1.2": must be "latest" or "v1.x", ',
    },
    {
      name: 'whose quota has no resource',
      given: { admission: plugin('ResourceQuota'), config: `${quota}limitedResources: [{apiGroup: x.io}]\n` },
      message: `${init('ResourceQuota')} limitedResources[0].resource: Required value (in DIR/config.yaml)`,
    },
    {
      name: 'that limits events twice',
      given: {
        admission: plugin('EventRateLimit'),
        config: `${limits}limits: [{type: User, qps: 1, burst: 1}, {type: User, qps: 1, burst: 1}]\n`,
        enable: ['EventRateLimit'],
      },
      message: `${init('EventRateLimit')} limits[1].type: Duplicate value: "User" (in DIR/config.yaml)`,
    },
    {
      name: 'that does not say how events are limited',
      given: { admission: head, enable: ['EventRateLimit'] },
      message: `${init('EventRateLimit')} limits: Invalid value: []eventratelimit.Limit(nil): must not be empty`,
    },
    {
      name: 'without a backend for images',
      given: { admission: head, enable: ['ImagePolicyWebhook'] },
      message: `${init('ImagePolicyWebhook')} no config specified`,
    },
    {
      name: 'with a backend whose file is not there',
      given: {
        admission: plugin('ImagePolicyWebhook'),
        config: 'imagePolicy: {kubeConfigFile: DIR/none}\n',
        enable: ['ImagePolicyWebhook'],
      },
      message: `${init('ImagePolicyWebhook')} stat DIR/none: no such file or directory (in DIR/config.yaml)`,
    },
    {
      name: 'with a back-off that is too long',
      given: {
        admission: plugin('ImagePolicyWebhook'),
        config: 'imagePolicy: {kubeConfigFile: x, retryBackoff: 300001}\n',
        enable: ['ImagePolicyWebhook'],
      },
      message: `${init('ImagePolicyWebhook')} valid value is between 1ns and 5m0s, got 5m0.001s (in DIR/config.yaml)`,
    },
    {
      name: 'with a path for webhooks that is relative',
      given: { admission: plugin('MutatingAdmissionWebhook'), config: `${webhook}kubeConfigFile: kubeconfig\n` },
      message:
        `${init('MutatingAdmissionWebhook')} kubeConfigFile: Invalid value: "kubeconfig": must be an absolute file ` +
        'path (in DIR/config.yaml)',
    },
    {
      name: 'with a selector of nodes that is none',
      given: {
        admission: plugin('PodNodeSelector'),
        config: 'podNodeSelectorPluginConfig: {team: a in (b)}\n',
        enable: ['PodNodeSelector'],
      },
      message: `${init('PodNodeSelector')} podNodeSelectorPluginConfig[team]: invalid selector: [a in (b)]`,
    },
    {
      name: 'whose plugin has a file that is not there',
      given: { admission: plugin('PodSecurity') },
      message:
        `--admission-control-config-file: Couldn't open admission plugin configuration DIR/config.yaml: ` +
        '&fs.PathError{Op:"open", Path:"DIR/config.yaml", Err:0x2} (no such file or directory)',
    },
  ])('A document is refused $name', async ({ given, message }) => {
    const refusal = await read(given).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(UserError);
    expect((refusal as Error).message.replaceAll(directory, 'DIR')).toContain(message);
  });
});
