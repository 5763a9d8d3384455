/** An installation of PostgreSQL: a folder with `postgres` and `initdb` of one version. */
export interface Installation {
  readonly engine: 'native' | 'embedded';
  /** Absolute folder of the programs. */
  readonly bin: string;
  /** In full, such as `18.4`. */
  readonly version: string;
  /** As PG_VERSION in a data folder says it. */
  readonly major: string;
}
