import { Setting, settingsPayload } from '../frames.ts';
import type { ServerConnectionOptions } from './connection-options.ts';

/** The SETTINGS that the server sends first. */
export const serverSettings = ({
  maxStreams,
  streamWindowBytes,
  maxHeaderListBytes,
}: ServerConnectionOptions): Buffer =>
  settingsPayload([
    [Setting.maxConcurrentStreams, maxStreams],
    [Setting.initialWindowSize, streamWindowBytes],
    [Setting.maxHeaderListSize, maxHeaderListBytes],
  ]);
