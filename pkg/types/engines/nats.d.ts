import type { Clock, Transport } from "../engine.js";

/** Options of a NATS transport. */
export interface NatsOptions {
  /** The package `@nats-io/transport-node`. */
  readonly nats: { headers(...given: any[]): any; connect?(options?: any): Promise<any> };
  /** The package `@nats-io/jetstream`. */
  readonly jetstream: { jetstream(connection: any, options?: any): any; jetstreamManager(connection: any, options?: any): Promise<any> };
  /** A connection of the host. The transport does not close it. */
  readonly connection?: { publish(subject: string, ...more: any[]): unknown };
  /** The options of `connect` without a connection: `servers`, `user`, `pass`, `token`, .. */
  readonly connect?: { readonly [option: string]: unknown };
  /** The stream of the messages: `cg_v1r3` by default. */
  readonly stream?: string;
  /** Whether to create a missing stream. True by default. */
  readonly create?: boolean;
  /** How long the stream keeps messages: 3,600 by default. */
  readonly maxAgeSeconds?: number;
  /** The prefix of the name of the workers' durable consumer. */
  readonly consumer?: string;
  /** The time in which a worker must acknowledge a wakeup: 30 by default. */
  readonly ackWaitSeconds?: number;
  /** The timeout of publishing a message: 5,000 by default. */
  readonly publishTimeoutMs?: number;
  /** The clock of retries. That of the machine by default. */
  readonly clock?: Clock;
}

export interface NatsTransport extends Required<Transport> {
  /** Returns whether the server is reachable. */
  readonly isUp: boolean;
  /** Stops listening, and closes the connection if the transport opened it. */
  close(): Promise<void>;
}

/**
 * Returns a transport over NATS JetStream. The id of a message is that of its outbox row.
 *
 * @throws TuckboxError `store` if no server responds, `auth_failed` with wrong credentials, `bad_request` if the
 * stream exists with another configuration.
 */
export declare function natsTransport(options: NatsOptions): Promise<NatsTransport>;
