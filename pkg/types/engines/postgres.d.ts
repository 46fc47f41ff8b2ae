import type { Clock, Transport } from "../engine.js";

export interface NotifyTransport extends Transport {
  close(): Promise<void>;
}

/**
 * Returns a transport of wakeups over LISTEN and NOTIFY of PostgreSQL. `database` is a `Pool` of `pg` (one of its
 * connections listens), an `sql` of `postgres`, or a PGlite.
 *
 * @throws TuckboxError `store` if the database cannot be reached.
 */
export declare function notifyTransport(
  database:
    | { connect(): Promise<any>; query(text: string, params: unknown[]): Promise<unknown> }
    | { listen(channel: string, hear: (text: string) => void): Promise<any> },
  options?: {
    /** The channel of the notifications: `tuckbox` by default. */
    readonly channel?: string;
    /** The clock of retries. That of the machine by default. */
    readonly clock?: Clock;
    /** Called when the listening connection is lost. The transport opens another one. */
    readonly onError?: (error: unknown) => void;
  },
): Promise<NotifyTransport>;
