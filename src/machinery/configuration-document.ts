/** Configuration files of daemons: YAML or JSON documents that say their kind and version. */
import { aggregateText, type FieldError, notSupported, required } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { parseYaml } from './json/yaml.ts';

/** What a document has to say of itself. */
export interface DocumentIdentity {
  readonly apiVersions: readonly string[];
  readonly kind: string;
}

export type DocumentMembers = Readonly<Record<string, unknown>>;

/**
 * Reads a document.
 *
 * @param identity several where a document has several spellings; the first is the one that a document with none of
 *   them should have
 * @param read gets the members besides `apiVersion` and `kind`, and adds what is wrong with them to `errors`
 * @throws Error that names each field that is wrong
 */
export function readConfigurationDocument<T>(
  text: string,
  identity: DocumentIdentity | readonly [DocumentIdentity, ...DocumentIdentity[]],
  read: (members: DocumentMembers, errors: FieldError[]) => T,
): T {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) throw new Error(problems.join(', '));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('the document is no object');
  const { apiVersion, kind, ...members } = value as DocumentMembers;
  const identities = [identity].flat();
  const meant = identities.find((other) => other.kind === kind) ?? identities[0]!;
  const errors = identityErrors({ apiVersion, kind }, meant);
  const document = read(members, errors);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return document;
}

/** What is wrong with the type that a document says. */
export const identityErrors = (
  { apiVersion, kind }: { readonly apiVersion?: unknown; readonly kind?: unknown },
  identity: DocumentIdentity,
): FieldError[] => [
  ...errorsOf('apiVersion', apiVersion, identity.apiVersions),
  ...errorsOf('kind', kind, [identity.kind]),
];

function errorsOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  const path = FieldPath.of(field);
  if (value === undefined || value === '') return [required(path)];
  return typeof value === 'string' && supported.includes(value) ? [] : [notSupported(path, String(value), supported)];
}
