/**
 * What the scenes share: the connections they open (closed together at the end), and every record of an input request, in the
 * order in which they ended.
 */
import type { Bulkhead, Connection, ConnectOptions, InputRecord, Target } from '../../index.js';

export interface Stage {
  readonly records: readonly InputRecord[];
  open(target: Target, options: ConnectOptions): Promise<Connection>;
  /** The records of one server so far. */
  of(connection: Connection): readonly InputRecord[];
  /** Resolves with the first record of that server, past or to come, that fits; rejects after `patience` ms. */
  seen(connection: Connection, fits: (record: InputRecord) => boolean, patience?: number): Promise<InputRecord>;
  close(): Promise<void>;
}

export function createStage(bulkhead: Bulkhead): Stage {
  const records: InputRecord[] = [];
  const connections: Connection[] = [];
  const of = (connection: Connection) => records.filter((record) => record.serverId === connection.serverId);
  return {
    records,
    of,
    async open(target, options) {
      const connection = await bulkhead.connect(target, options);
      connection.on('input', (record) => records.push(record));
      connections.push(connection);
      return connection;
    },
    seen(connection, fits, patience = 5_000) {
      const past = of(connection).find(fits);
      return past === undefined ? firstOf(connection, fits, patience) : Promise.resolve(past);
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await bulkhead.close();
    },
  };
}

function firstOf(connection: Connection, fits: (record: InputRecord) => boolean, patience: number): Promise<InputRecord> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`${connection.serverId} did not ask within ${patience} ms`));
    }, patience);
    const stop = connection.on('input', (record) => {
      if (!fits(record)) return;
      clearTimeout(timer);
      stop();
      resolve(record);
    });
  });
}
