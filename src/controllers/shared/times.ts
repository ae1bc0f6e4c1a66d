import { formatTime } from '../../machinery/time.ts';

/** Times of the API have whole seconds. @param ms since 1970 */
export const formatMs = (ms: number): string => formatTime(Math.floor(ms / 1000));
