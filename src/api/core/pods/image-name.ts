/**
 * Names of images, `registry.example.com:5000/team/app:1.2@sha256:…`, as far as the API needs them.
 * @see {@link https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests | OCI
 *   distribution: names, tags and digests}
 */
const part = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = `(?:${part}(?:\\.${part})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const segment = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const reference = new RegExp(
  `^(?<name>(?:${host}/)?${segment}(?:/${segment})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?` +
    `<digest>\\w[\\w+.-]*:[0-9a-fA-F]{32,}))?$`,
);

const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const maxNameLength = 255;
const identifier = /^[a-f0-9]{64}$/;

/**
 * The tag that an image name means: `latest` when it has neither tag nor digest. Undefined for a digest alone and for
 * what is no name.
 */
export function imageTag(image: string): string | undefined {
  const match = identifier.test(image) ? null : reference.exec(image);
  if (match === null) return undefined;
  const { name = '', tag, digest } = match.groups!;
  if (name.length > maxNameLength || !isRepository(name)) return undefined;
  if (digest === undefined) return tag ?? 'latest';
  return isDigest(digest) ? tag : undefined;
}

/** What precedes the first slash is a host only when it looks like one; a repository has no capitals. */
function isRepository(name: string): boolean {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isHost = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const repository = isHost ? name.slice(slash + 1) : name;
  return repository === repository.toLowerCase();
}

function isDigest(digest: string): boolean {
  const [algorithm, hex] = digest.split(':') as [string, string];
  return hex.length === digestLengths[algorithm] && hex === hex.toLowerCase();
}
