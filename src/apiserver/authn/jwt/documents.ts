/**
 * Small documents over HTTPS from issuers and from where they send us: within a time, up to a size, and no redirects.
 */
import { timeLimit } from '../../../base/time-limit.ts';
import type { Agent } from 'undici';
import { abortable } from '../../../base/abortable.ts';

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

  get(url: string, asked: DocumentRequest): Promise<{ status: number; text: string }> {
    const signal = AbortSignal.any([asked.signal, timeLimit(timeoutMs)]);
    // The library looks at the signal only once it is connected.
    return abortable(this.#request(url, { ...asked, signal }), signal);
  }

  /** What is still connecting ends by itself, within ten seconds, and is not waited for. */
  close(): void {
    void this.#agent?.destroy();
  }

  async #request(
    url: string,
    { accept, authorization, signal }: DocumentRequest,
  ): Promise<{ status: number; text: string }> {
    const { Agent: UndiciAgent, request } = (await import('undici')).default;
    const ca = this.#certificateAuthority;
    this.#agent ??= new UndiciAgent({ maxResponseSize: maxDocumentBytes, ...(ca === '' ? {} : { connect: { ca } }) });
    const headers = { accept, ...(authorization === undefined ? {} : { authorization }) };
    const { statusCode, body } = await request(url, { dispatcher: this.#agent, headers, signal });
    return { status: statusCode, text: await body.text() };
  }
}
