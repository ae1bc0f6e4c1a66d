/** Tokens of pods' service accounts. One is asked for anew when 80 % of its life, or a day, is over. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { ApiObjects } from '../../pods/api-objects.ts';

const maxAgeMs = 86_400_000;
const maxJitterMs = 10_000;

export interface TokenWish {
  /** Empty for the API server. */
  readonly audience: string;
  readonly expirationSeconds: number;
}

export interface PodToken {
  readonly token: string;
  /** Since 1970. */
  readonly expiresAtMs: number;
}

interface Token extends PodToken {
  readonly renewAtMs: number;
}

export class PodTokens {
  readonly #objects: ApiObjects;
  readonly #nowMs: () => number;
  readonly #random: () => number;
  /** By uid of the pod, then by wish. */
  readonly #tokens = new Map<string, Map<string, Token>>();

  constructor(objects: ApiObjects, { nowMs, random }: { readonly nowMs: () => number; readonly random: () => number }) {
    this.#objects = objects;
    this.#nowMs = nowMs;
    this.#random = random;
  }

  async get(pod: Pod, wish: TokenWish): Promise<string> {
    return (await this.entry(pod, wish)).token;
  }

  /** One that cannot be renewed is used as long as it is valid. */
  async entry({ metadata, spec }: Pod, { audience, expirationSeconds }: TokenWish): Promise<PodToken> {
    const { uid = '', name = '', namespace = '' } = metadata;
    const ofPod = this.#tokens.get(uid) ?? new Map<string, Token>();
    this.#tokens.set(uid, ofPod);
    const key = JSON.stringify([audience, expirationSeconds]);
    const known = ofPod.get(key);
    const nowMs = this.#nowMs();
    if (known !== undefined && nowMs < known.renewAtMs) return known;
    try {
      const fresh = await this.#objects.token({
        namespace,
        serviceAccount: spec.serviceAccountName ?? 'default',
        pod: { name, uid },
        audience,
        expirationSeconds,
      });
      const lifeMs = fresh.expiresAtMs - nowMs;
      const renewMs = Math.min(0.8 * lifeMs - this.#random() * maxJitterMs, maxAgeMs);
      ofPod.set(key, { ...fresh, renewAtMs: nowMs + renewMs });
      return fresh;
    } catch (error) {
      if (known !== undefined && nowMs < known.expiresAtMs) return known;
      throw error;
    }
  }

  forget(uid: string): void {
    this.#tokens.delete(uid);
  }
}
