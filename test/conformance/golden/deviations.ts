/** Recorded cases that this server does not answer alike, by `file: case`, each with the reason. */
export const deviations: Readonly<Record<string, string>> = {
  'kinds-extension: FlowSchema table two':
    'the recorded server held one condition back: it had written many to schemas of that name in the minute before',
};

/** Cases about what a server writes of its own, which would come between other cases: they have a server of theirs. */
export const withOwnServer: ReadonlySet<string> = new Set(['protocol-discovery: livez', 'protocol-discovery: readyz']);
