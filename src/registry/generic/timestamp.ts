import { formatTime } from '../../machinery/time.ts';

/** A moment as metadata shows it: whole seconds, UTC (RFC 3339). */
export const timestamp = (date: Date): string => formatTime(Math.floor(date.getTime() / 1000));
