import type { RequestInfo } from './request-info.ts';

/** Divides a path behind the name of the subresource. What is behind has its slash in front. */
export function subresourcePath(
  { namespace, subresource }: Pick<RequestInfo, 'namespace' | 'subresource'>,
  path: string,
): readonly [prefix: string, rest: string] {
  // `/api/v1/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE`, or the same without a namespace.
  const segments = path.split('/', namespace === '' ? 5 : 7);
  const prefix = `${segments.join('/')}/${subresource}`;
  return [prefix, path.slice(prefix.length)];
}
