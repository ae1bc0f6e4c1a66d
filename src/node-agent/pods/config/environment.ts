/**
 * The environment of a container: variables of services, then `envFrom` in order, then `env` in order. Later ones
 * replace earlier ones, and values can refer to what stands above them.
 */
import type { ConfigMap, Container, EnvVar, Pod, Secret } from '../../../api/gen/types/core-v1.ts';
import { ContainerConfigError } from './container-config-error.ts';
import { fieldValue, type PodAddresses, resourceValue } from './downward.ts';
import { expanded } from './expansion.ts';

/** What a container names, as the API server has it; undefined for what is not there. */
export interface NamedObjects {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
}

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Pick<Container, 'name' | 'env' | 'envFrom'>;
  readonly addresses: PodAddresses;
  readonly services: ReadonlyMap<string, string>;
  readonly objects: NamedObjects;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Throws `ContainerConfigError` for what is missing and not optional. */
export function environmentOf(input: EnvironmentInput): Map<string, string> {
  const { container, services } = input;
  const result = new Map(services);
  for (const source of container.envFrom ?? []) {
    const { prefix = '', configMapRef, secretRef } = source;
    if (configMapRef !== undefined) {
      const map = configMapOf(input, configMapRef.name ?? '', configMapRef.optional);
      for (const [key, value] of sortedEntries(map?.data)) result.set(prefix + key, value);
    }
    if (secretRef !== undefined) {
      const secret = secretOf(input, secretRef.name ?? '', secretRef.optional);
      for (const [key, value] of sortedEntries(secret?.data)) result.set(prefix + key, decoded(value));
    }
  }
  // A reference reads what `env` and `envFrom` have set so far; services come last, and last only.
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, input, result);
    if (value !== undefined) result.set(variable.name ?? '', value);
  }
  return result;
}

function valueOf(
  { value = '', valueFrom }: EnvVar,
  input: EnvironmentInput,
  known: ReadonlyMap<string, string>,
): string | undefined {
  if (valueFrom === undefined) return expanded(value, known);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const { pod, addresses, container, allocatable } = input;
  if (fieldRef !== undefined) {
    const text = fieldValue(fieldRef.fieldPath ?? '', pod, addresses);
    if (text === undefined) throw new ContainerConfigError(`unsupported fieldPath: ${fieldRef.fieldPath}`);
    return text;
  }
  if (resourceFieldRef !== undefined) return resourceValue(resourceFieldRef, pod, container.name, allocatable);
  const { namespace } = pod.metadata;
  if (configMapKeyRef !== undefined) {
    const { name = '', key = '', optional } = configMapKeyRef;
    const text = memberOf(configMapOf(input, name, optional)?.data, key);
    if (text === undefined && optional !== true)
      throw new ContainerConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return text;
  }
  if (secretKeyRef !== undefined) {
    const { name = '', key = '', optional } = secretKeyRef;
    const text = memberOf(secretOf(input, name, optional)?.data, key);
    if (text === undefined && optional !== true)
      throw new ContainerConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return text === undefined ? undefined : decoded(text);
  }
  return undefined;
}

function configMapOf({ objects }: EnvironmentInput, name: string, optional?: boolean): ConfigMap | undefined {
  const map = objects.configMap(name);
  if (map === undefined && optional !== true) throw new ContainerConfigError(`configmap "${name}" not found`);
  return map;
}

function secretOf({ objects }: EnvironmentInput, name: string, optional?: boolean): Secret | undefined {
  const secret = objects.secret(name);
  if (secret === undefined && optional !== true) throw new ContainerConfigError(`secret "${name}" not found`);
  return secret;
}

const memberOf = (data: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;

const sortedEntries = (data: Readonly<Record<string, string>> = {}): [string, string][] =>
  Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));

const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString();

/** Names of the objects that the container cannot be made without knowing. */
export function namedObjectsOf({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
} {
  const names = (values: (string | undefined)[]): ReadonlySet<string> =>
    new Set(values.filter((name): name is string => name !== undefined));
  return {
    configMaps: names([
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    secrets: names([
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
  };
}
