/**
 * The paths of the API.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris | API Concepts: resource URIs}
 */

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  /** Plural name of the resource. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Throws for a name that would lead to another path, such as an empty one, which would be the whole collection. */
export function pathOf({ group, version, resource, namespace, name, subresource }: ResourcePath): string {
  const parts = group === '' ? ['api', version] : ['apis', group, version];
  if (namespace !== undefined) parts.push('namespaces', segment('namespace', namespace));
  parts.push(resource);
  if (name !== undefined) parts.push(segment('name', name));
  if (subresource !== undefined) parts.push(...subresource.split('/').map((each) => segment('subresource', each)));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

export function withQuery(path: string, parameters: QueryParameters): string {
  let query: URLSearchParams | undefined;
  for (const name of Object.keys(parameters)) {
    const value = parameters[name];
    if (value !== undefined && value !== '' && value !== false)
      (query ??= new URLSearchParams()).append(name, String(value));
  }
  return query === undefined ? path : `${path}?${query.toString()}`;
}

/**
 * @see {@link https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#path-segment-names | Path
 *   segment names}
 */
function segment(what: string, value: string): string {
  if (value === '') throw new TypeError(`the ${what} is empty`);
  if (value === '.' || value === '..' || /[/%]/.test(value))
    throw new TypeError(
      `${JSON.stringify(value)} cannot be a ${what}: "." and ".." alone, "/" and "%" are not allowed`,
    );
  return value;
}
