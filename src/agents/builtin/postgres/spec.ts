/** The `spec` of a service whose agent is `skein/postgres`. */
import * as z from 'zod';

const durationExpected = 'a duration such as `250ms`, `10s` or `5m`';
/** What a timer holds. */
const longestMs = 2 ** 31 - 1;
const units = { ms: 1, s: 1_000, m: 60_000 } as const;

const duration = z
  .string({ error: durationExpected })
  .regex(/^\d{1,10}(ms|s|m)$/, { error: durationExpected })
  .transform((written) => {
    const [, amount = '0', unit = 'ms'] = /^(\d+)(ms|s|m)$/.exec(written) ?? [];
    return Number(amount) * units[unit as keyof typeof units];
  })
  .refine((ms) => ms <= longestMs, { error: `${durationExpected}, of at most 24 days` });

const nameExpected = 'a name of 1 to 63 bytes without control characters';
/** PostgreSQL cuts longer names off; a line break would end a statement of single-user mode. */
const sqlName = z
  .string({ error: nameExpected })
  .refine((name) => /^\P{Cc}+$/u.test(name) && Buffer.byteLength(name) <= 63, { error: nameExpected });

const majorExpected = 'a major version from 14 on, such as 17';
const major = z
  .union([z.int(), z.string()], { error: majorExpected })
  .transform(String)
  .refine((written) => /^\d{2}$/.test(written) && Number(written) >= 14, { error: majorExpected });

/** What the agent itself decides, since the run depends on it. */
const ownSettings: ReadonlySet<string> = new Set(
  (
    'config_file data_directory external_pid_file hba_file ident_file listen_addresses log_destination ' +
    'logging_collector port unix_socket_directories'
  ).split(' '),
);

const settingName = z
  .string()
  .regex(/^[A-Za-z_][\w.$]*$/, { error: 'the name of a setting of postgresql.conf, such as `work_mem`' })
  .refine((name) => !ownSettings.has(name.toLowerCase()), {
    error: 'a setting that the agent decides itself, for the run depends on it',
  });

/** What would part the cluster from what the agent knows of it. */
const ownArgument =
  /^(-D|-U|-A|-W|--pgdata|--username|--auth|--auth-(local|host)|--pwprompt|--pwfile|--sync-only|--show)(=|$)|^-[DUA]./;

/** A spec as it was read, with its defaults. */
export interface PostgresSpec {
  readonly engine: 'auto' | 'native' | 'embedded';
  /** Major version wanted. */
  readonly version?: string | undefined;
  readonly database?: string | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly 'initdb-arguments': readonly string[];
  /** Milliseconds. */
  readonly 'stop-timeout'?: number | undefined;
}

export const postgresSpec: z.ZodType<PostgresSpec> = z.strictObject({
  engine: z
    .enum(['auto', 'native', 'embedded'])
    .default('auto')
    .describe(
      '`native`: a server of this machine; `embedded`: the one that comes with skein; `auto`: native if found.',
    ),
  version: major.optional().describe('The major version wanted. Default: that of the data, else any.'),
  database: sqlName.optional().describe('Made if it is missing. Default: the name of the service.'),
  user: sqlName
    .refine((name) => !name.startsWith('pg_'), {
      error: 'names that begin with pg_ are reserved by PostgreSQL',
    })
    .default('postgres')
    .describe('A superuser.'),
  password: z.string().min(1).optional().describe('Default: generated once, and kept beside the data.'),
  settings: z
    .record(settingName, z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe('Settings of postgresql.conf.'),
  'initdb-arguments': z
    .array(
      z
        .string()
        .regex(/^-/)
        .refine((argument) => !ownArgument.test(argument), { error: 'decided by the agent itself' }),
    )
    .default([])
    .describe('Further arguments of initdb, such as `--locale=de_DE.UTF-8`; a value stands behind `=`.'),
  'stop-timeout': duration.optional().describe('Default: 10s.'),
});
