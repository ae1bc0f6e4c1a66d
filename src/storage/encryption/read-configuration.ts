/** From the text of a file to an `EncryptionConfiguration` in which nothing is wrong. */
import { parseDuration } from '../../machinery/duration.ts';
import { aggregateText } from '../../machinery/field-error.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
  ResourceConfiguration,
} from './configuration.ts';
import { validateEncryptionConfiguration } from './validation.ts';

/**
 * Ours are the specification's spellings of the first. The last came into the world by a mistake in the documentation.
 */
const kinds: Readonly<Record<string, string>> = {
  'apiserver.config.k8s.io/v1': 'EncryptionConfiguration',
  'apiserver.config.orch.io/v1': 'EncryptionConfiguration',
  'apiserver.orch.io/v1': 'EncryptionConfiguration',
  v1: 'EncryptionConfig',
};

const defaultKmsVersion = 'v1';
const defaultTimeoutMs = 3_000;
const defaultCacheSize = 1_000;

/**
 * Throws an Error that names each field that is wrong. @param reload whether the document can change while the server
 * runs
 */
export function readEncryptionConfiguration(text: string, reload: boolean): EncryptionConfiguration {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
  if (!isObject(value)) throw new Error('it holds no EncryptionConfiguration');
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || !Object.hasOwn(kinds, apiVersion) || kinds[apiVersion] !== kind) {
    throw new Error(`no kind ${goQuote(textOf(kind))} is registered for version ${goQuote(textOf(apiVersion))}`);
  }
  const unknown: string[] = [];
  const configuration = {
    resources: new Members(value, ['apiVersion', 'kind', 'resources'], '', unknown).list(
      'resources',
      resourceConfiguration,
    ),
  };
  if (unknown.length > 0)
    throw new Error(`strict decoding error: ${unknown.map((field) => `unknown field ${goQuote(field)}`).join(', ')}`);
  const errors = validateEncryptionConfiguration(configuration, reload);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return configuration;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function resourceConfiguration(members: Members): ResourceConfiguration {
  members.only(['resources', 'providers']);
  return { resources: members.texts('resources'), providers: members.list('providers', providerConfiguration) };
}

function providerConfiguration(members: Members): ProviderConfiguration {
  members.only(['aesgcm', 'aescbc', 'secretbox', 'identity', 'kms']);
  const given = {
    aesgcm: members.member('aesgcm', keysConfiguration),
    aescbc: members.member('aescbc', keysConfiguration),
    secretbox: members.member('secretbox', keysConfiguration),
    identity: members.member('identity', (identity) => identity.only([])),
    kms: members.member('kms', kmsConfiguration),
  };
  return Object.fromEntries(Object.entries(given).filter(([, provider]) => provider !== undefined));
}

function keysConfiguration(members: Members): KeysConfiguration {
  members.only(['keys']);
  return {
    keys: members.list(
      'keys',
      (key) => (key.only(['name', 'secret']), { name: key.text('name'), secret: key.text('secret') }),
    ),
  };
}

function kmsConfiguration(members: Members): KmsConfiguration {
  members.only(['apiVersion', 'name', 'cachesize', 'endpoint', 'timeout']);
  const apiVersion = members.text('apiVersion') || defaultKmsVersion;
  const timeout = members.has('timeout') ? members.text('timeout') : undefined;
  return {
    apiVersion,
    name: members.text('name'),
    endpoint: members.text('endpoint'),
    cacheSize: members.integer('cachesize') ?? (apiVersion === defaultKmsVersion ? defaultCacheSize : undefined),
    timeoutMs: timeout === undefined ? defaultTimeoutMs : Number(parseDuration(timeout)) / 1e6,
  };
}

/**
 * An object of the document, read member by member. Throws for a member of another type; collects unknown names.
 */
class Members {
  readonly #value: JsonObject;
  readonly #path: string;
  readonly #unknown: string[];

  constructor(value: JsonObject, known: readonly string[] | undefined, path: string, unknown: string[]) {
    this.#value = value;
    this.#path = path;
    this.#unknown = unknown;
    if (known !== undefined) this.only(known);
  }

  only(known: readonly string[]): object {
    for (const name of Object.keys(this.#value)) if (!known.includes(name)) this.#unknown.push(this.#at(name));
    return {};
  }

  has(name: string): boolean {
    const value = this.#get(name);
    return value !== undefined && value !== null;
  }

  text(name: string): string {
    const value = this.#get(name) ?? '';
    return typeof value === 'string' ? value : this.#wrong(name, 'string');
  }

  integer(name: string): number | undefined {
    const value = this.#get(name) ?? undefined;
    if (value === undefined) return undefined;
    const number = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : NaN;
    return number === (number | 0) ? number : this.#wrong(name, 'int32');
  }

  texts(name: string): string[] {
    return this.#items(name).map((item) => (typeof item === 'string' ? item : this.#wrong(name, 'string')));
  }

  member<T>(name: string, read: (members: Members) => T): T | undefined {
    const value = this.#get(name) ?? undefined;
    if (value === undefined) return undefined;
    return read(
      new Members(isObject(value) ? value : this.#wrong(name, 'object'), undefined, this.#at(name), this.#unknown),
    );
  }

  list<T>(name: string, read: (members: Members) => T): T[] {
    return this.#items(name).map((item, i) =>
      read(
        new Members(
          isObject(item) ? item : this.#wrong(name, 'object'),
          undefined,
          `${this.#at(name)}[${i}]`,
          this.#unknown,
        ),
      ),
    );
  }

  #items(name: string): readonly JsonValue[] {
    const value = this.#get(name) ?? [];
    return Array.isArray(value) ? (value as readonly JsonValue[]) : this.#wrong(name, 'list');
  }

  #get(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
  }

  #at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  #wrong(name: string, wanted: string): never {
    throw new Error(`${this.#at(name)}: the value is no ${wanted}`);
  }
}
