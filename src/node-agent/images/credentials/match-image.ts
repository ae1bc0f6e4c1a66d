/**
 * Whether credentials for a registry, or a part of it, are for an image. Pure.
 *
 * `*` stands for any characters within one label of the host: `*.registry.test/path` fits `a.registry.test/path/image`.
 * @see {@link https://kubernetes.io/docs/concepts/containers/images/#config-json | Images: config.json}
 */

/** @param pattern host, port and path, as credentials name a registry */
export function fitsImage(pattern: string, image: string): boolean {
  const [host = '', ...path] = pattern.split('/');
  const [imageHost, imagePath] = partsOf(image);
  const known = host === 'index.docker.io' ? 'docker.io' : host;
  const labels = known.split('.');
  const imageLabels = imageHost.split('.');
  const hostFits =
    labels.length === imageLabels.length && labels.every((label, index) => fitsLabel(label, imageLabels[index]!));
  const prefix = path.join('/');
  return hostFits && (prefix === '' || imagePath === prefix || imagePath.startsWith(`${prefix}/`));
}

/** Each `*` of the pattern may be empty. A pattern is short: without backtracking beyond one label. */
function fitsLabel(pattern: string, label: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === label;
  const [first, last] = [parts[0]!, parts.at(-1)!];
  if (!label.startsWith(first) || !label.endsWith(last) || label.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = label.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= label.length - last.length;
}

/** Host with its port, and the rest. */
function partsOf(image: string): readonly [host: string, path: string] {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost';
  return isHost ? [first, image.slice(slash + 1)] : ['docker.io', image];
}

/** An image without tag and digest, with its registry: what providers of credentials are asked for. */
export function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const [host, path] = partsOf(colon < 0 ? name : name.slice(0, colon));
  return `${host}/${host === 'docker.io' && !path.includes('/') ? `library/${path}` : path}`;
}

export const registryOf = (repository: string): string => repository.slice(0, repository.indexOf('/'));
