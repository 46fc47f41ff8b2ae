import type { Clock, Transport } from "../engine.js";

export interface NotifyTransport extends Transport {
  close(): Promise<void>;
}

/**
 * Doorbells over LISTEN and NOTIFY of PostgreSQL. `database` is a Pool of `pg` (one of its connections listens), an
 * `sql` of `postgres`, or a PGlite.
 *
 * @throws TuckboxError `store` where the database cannot be reached.
 */
export declare function notifyTransport(
  database:
    | { connect(): Promise<any>; query(text: string, params: unknown[]): Promise<unknown> }
    | { listen(channel: string, hear: (text: string) => void): Promise<any> },
  options?: {
    /** The channel of the notifications; `tuckbox` by default. */
    readonly channel?: string;
    /** The clock that the transport waits by before it tries again; that of the machine by default. */
    readonly clock?: Clock;
    /** Told when the connection that listens was cut; another one follows. */
    readonly onError?: (error: unknown) => void;
  },
): Promise<NotifyTransport>;
