/**
 * Signatures of the public kubeconfig with bootstrap tokens, so that nodes that have a token can trust it.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7515#appendix-F | RFC 7515, appendix F (detached content)}
 */
import { createHmac } from 'node:crypto';
import type { ConfigMap, Secret } from '../../api/gen/types/core-v1.ts';
import { bootstrapTokenPrefix, tokenExpiryMs, tokenText } from '../../auth/authentication/bootstrap-token-secrets.ts';

const signaturePrefix = 'jws-kubeconfig-';
const nameOfToken = new RegExp(`^${bootstrapTokenPrefix}([a-z0-9]{6})$`);

/** Secrets by the identifiers of tokens. */
export type SigningTokens = ReadonlyMap<string, string>;

/** The tokens that sign now. */
export function signingTokens(secrets: Iterable<Secret>, nowMs: number): SigningTokens {
  const tokens = new Map<string, string>();
  for (const object of secrets) {
    const id = nameOfToken.exec(object.metadata.name ?? '')?.[1];
    const secret = tokenText(object, 'token-secret');
    const signs =
      tokenText(object, 'token-id') === id &&
      secret !== '' &&
      tokenText(object, 'usage-bootstrap-signing') === 'true' &&
      tokenExpiryMs(object) > nowMs;
    if (id !== undefined && signs) tokens.set(id, secret);
  }
  return tokens;
}

/** The signature of content that is not part of it. */
export function detachedSignature(content: string, id: string, secret: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url');
  const signed = `${header}.${Buffer.from(content).toString('base64url')}`;
  return `${header}..${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** @returns what to replace the config map by; undefined when its signatures are right, or there is nothing to sign */
export function signedConfigMap(configMap: ConfigMap, tokens: SigningTokens): ConfigMap | undefined {
  const { data = {} } = configMap;
  const content = data['kubeconfig'];
  if (content === undefined) return undefined;
  const signatures = new Map(
    [...tokens].map(([id, secret]) => [`${signaturePrefix}${id}`, detachedSignature(content, id, secret)]),
  );
  const present = Object.keys(data).filter((key) => key.startsWith(signaturePrefix));
  const isRight = present.length === signatures.size && present.every((key) => data[key] === signatures.get(key));
  if (isRight) return undefined;
  const others = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  return { ...configMap, data: Object.fromEntries([...others, ...signatures]) };
}
