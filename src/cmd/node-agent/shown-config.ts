/** The configuration as `/configz` shows it: with what the agent has chosen by itself. */
import path from 'node:path';
import type { JsonObject } from '../../machinery/value.ts';
import { formatConfig } from '../../node-agent/config/document.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';

const noBuffer = { infoBufferSize: '0' };
const usualLogging = {
  flushFrequency: '5s',
  format: 'text',
  options: { json: noBuffer, text: noBuffer },
  verbosity: 0,
};

export function shownConfig({ config, certDir }: NodeAgentSettings): JsonObject {
  const { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap, logging, readOnlyPort } = config;
  const isOwn = tlsCertFile === '' && tlsPrivateKeyFile === '' && !serverTLSBootstrap;
  const pair = { tlsCertFile: path.join(certDir, 'kubelet.crt'), tlsPrivateKeyFile: path.join(certDir, 'kubelet.key') };
  return {
    ...formatConfig(config),
    readOnlyPort,
    ...(isOwn ? pair : {}),
    logging: { ...usualLogging, ...(logging as JsonObject) },
  };
}
