/** Serves static pods at an address. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const none = JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: [] });

export async function servePods() {
  let content = none;
  const server = http.createServer((_, response) => response.end(content));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pods.yaml`,
    /** Without content: no pods. */
    set: (text = none) => void (content = text),
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
