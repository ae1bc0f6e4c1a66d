/** The lists of container statuses that belong to the three lists of containers. */
export const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;
