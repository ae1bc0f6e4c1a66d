/** A change counts from what was read: writers without a resourceVersion are refused. */
export const commonStrategy = { generation: true, allowUnconditionalUpdate: false } as const;
