/** The connections to a webhook, and who the server is on them: token files and client certificates are as they are at the time. */
import type { Agent, Dispatcher } from 'undici';
import type { ClientPair, WebhookConnection } from './connection-file.ts';

export interface WebhookConnections {
  /** Posts JSON and resolves with an answer whose body has not been read. Rejects when there is none, without what was sent. */
  post(body: string | Buffer, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  /** Ends connections and what is under way on them. */
  destroy(): Promise<void>;
}

const maxConnections = 64;

export function webhookConnections(connection: WebhookConnection): WebhookConnections {
  let agent: Agent | undefined;
  let shown: ClientPair | undefined;
  return {
    async post(body, signal) {
      // Loaded at first use: most servers have no webhook.
      const undici = await import('undici');
      const authorization = await connection.authorization();
      const pair = await connection.renewedPair?.();
      // From here to the request nothing waits, so that no other call takes the agent away. New connections show a new
      // certificate; those with the old one end with their requests.
      if (pair !== shown) {
        void agent?.close();
        agent = undefined;
        shown = pair;
      }
      agent ??= new undici.Agent(agentOptions({ ...connection, ...pair }));
      return undici.request(connection.url, {
        dispatcher: agent, method: 'POST', body, signal,
        headers: { 'content-type': 'application/json', accept: 'application/json, */*', ...(authorization === undefined ? {} : { authorization }) },
      });
    },
    async destroy() {
      await agent?.destroy();
    },
  };
}

const agentOptions = ({ ca, certificate, key, serverName, skipVerify }: WebhookConnection): Agent.Options => ({
  connections: maxConnections,
  connect: {
    rejectUnauthorized: !skipVerify,
    ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { servername: serverName }), ...(certificate === undefined ? {} : { cert: certificate }), ...(key === undefined ? {} : { key }),
  },
});
