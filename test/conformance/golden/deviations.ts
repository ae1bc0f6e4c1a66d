/** Recorded cases that this server does not answer alike, by `file: case`, each with the reason. */
export const deviations: Readonly<Record<string, string>> = {};
