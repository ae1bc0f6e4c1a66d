/** Small documents over HTTPS from issuers and from where they send us: within a time, up to a size, and no redirects. */
import type { Agent } from 'undici';

const timeoutMs = 10_000;
const maxDocumentBytes = 1 << 20;

export interface DocumentRequest {
  readonly accept: string;
  readonly authorization?: string;
  readonly signal: AbortSignal;
}

export class Documents {
  readonly #certificateAuthority: string;
  #agent: Agent | undefined;

  /** @param certificateAuthority PEM; empty: the system's */
  constructor(certificateAuthority: string) {
    this.#certificateAuthority = certificateAuthority;
  }

  async get(url: string, { accept, authorization, signal }: DocumentRequest): Promise<{ status: number; text: string }> {
    const { Agent: UndiciAgent, request } = await import('undici');
    const ca = this.#certificateAuthority;
    this.#agent ??= new UndiciAgent({ maxResponseSize: maxDocumentBytes, ...(ca === '' ? {} : { connect: { ca } }) });
    const headers = { accept, ...(authorization === undefined ? {} : { authorization }) };
    const { statusCode, body } = await request(url, { dispatcher: this.#agent, headers, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) });
    return { status: statusCode, text: await body.text() };
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }
}
