/**
 * Reads an AdmissionConfiguration: for each plugin a file, or the configuration itself.
 * @see {@link https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/ | kube-apiserver configuration (v1)}
 */
import { aggregateText, duplicate, type FieldError, invalid, required } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { parseYaml } from '../../../machinery/json/yaml.ts';
import { isObject, RawJson } from '../../../machinery/value.ts';
import { pluginNames } from '../plugin-names.ts';
import { decodeDocument, NoSuchKind } from './decode-document.ts';

export interface PluginEntry {
  readonly name: string;
  /** As it is written; undefined where the configuration is there, or where there is none. */
  readonly path: string | undefined;
  /** JSON. */
  readonly configuration: string | undefined;
}

interface Document {
  readonly plugins?: readonly {
    readonly name?: string;
    readonly path?: string;
    readonly configuration?: unknown;
  }[];
}

const versions = ['v1', 'v1beta1', 'v1alpha1'];
const apiVersions = ['apiserver.config.k8s.io', 'apiserver.k8s.io'].flatMap((group) =>
  versions.map((version) => `${group}/${version}`),
);
const kind = { kind: 'AdmissionConfiguration', apiVersions, typeId: 'apiserver/v1.AdmissionConfiguration' };

/** Configurations of plugins that have no kind. The flag may name such a file itself, as it did in old versions. */
const withoutKind: Readonly<Record<string, string>> = {
  imagePolicy: 'ImagePolicyWebhook',
  podNodeSelectorPluginConfig: 'PodNodeSelector',
};

/** @param file that the text is of. Throws an Error that says what is wrong. */
export function readAdmissionConfiguration(text: string, file: string): readonly PluginEntry[] {
  let document: Document;
  try {
    document = decodeDocument<Document>(text, [kind]);
  } catch (error) {
    const old = error instanceof NoSuchKind ? pluginsWithoutKind(text) : [];
    if (old.length === 0) throw error;
    return old.map((name) => ({ name, path: file, configuration: undefined }));
  }
  const { plugins = [] } = document;
  const errors = entryErrors(plugins.map(({ name = '' }) => name));
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return plugins.map(({ name = '', path = '', configuration }) => ({
    name,
    path: path === '' || configuration !== undefined ? undefined : path,
    configuration: configuration instanceof RawJson ? configuration.text : undefined,
  }));
}

/** As upstream: once one of them is there, the file is that of both plugins. */
function pluginsWithoutKind(text: string): readonly string[] {
  const { value } = parseYaml(text);
  if (!isObject(value) || !Object.keys(withoutKind).some((member) => value[member] !== undefined)) return [];
  return Object.values(withoutKind);
}

function entryErrors(names: readonly string[]): readonly FieldError[] {
  const known = new Set(pluginNames.map(({ name }) => name));
  return names.flatMap((name, i) => {
    const path = FieldPath.of('plugins').index(i).child('name');
    if (name === '') return [required(path)];
    if (!known.has(name)) return [invalid(path, name, 'there is no admission plugin of this name')];
    return names.indexOf(name) < i ? [duplicate(path, name)] : [];
  });
}
