/** How a review is sent to the service that judges it. A port: connections and repetition are the caller's. */
export interface ReviewClient {
  /** Posts a review and resolves with the one that came back. Rejects with what went wrong, without what was sent. */
  post(review: object): Promise<unknown>;
}
