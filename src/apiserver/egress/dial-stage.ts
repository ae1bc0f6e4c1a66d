/** How far a dial has come: to the tunnel server, and by it to the destination. */
export type Stage = 'connect' | 'proxy';

/** Told of each stage that is reached. */
export type OnStage = (stage: Stage) => void;
