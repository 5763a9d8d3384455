/** The phases of a `skein/postgres` service. */
import {
  AgentFailure,
  authorityOf,
  type Endpoint,
  type InitAnswer,
  type InitPhase,
  requireAddress,
  type ServiceContext,
  type ServiceHandler,
  type StartPhase,
  type StopPhase,
  type SupervisedProcess,
  type Variable,
  variable,
} from '../../sdk/index.ts';
import {
  type Access,
  createCluster,
  type DataPlace,
  dataPlace,
  dataVersion,
  isProvisioned,
  keptPassword,
  makeHome,
  provision,
  removeData,
  removeUnfinished,
  type ServerRun,
  serverEnvironment,
  unfinishedClusters,
} from './data/index.ts';
import { fileFailure } from './failures.ts';
import { mayEnter } from './folders.ts';
import {
  chooseInstallation,
  embeddedPackage,
  type Installation,
  nativeInstallations,
  usableEmbedded,
} from './installation/index.ts';
import {
  clearAfterKill,
  killLeftBehind,
  launchServer,
  noteServer,
  serverArguments,
  settlePrevious,
  stopServer,
} from './server/index.ts';
import { type ServerUser, serverUser } from './server-user.ts';
import type { PostgresSpec } from './spec.ts';

/** All that a cluster and its server need to run. */
interface Prepared {
  readonly run: ServerRun;
  readonly place: DataPlace;
  readonly access: Access;
}

export class PostgresService implements ServiceHandler {
  readonly #context: ServiceContext<PostgresSpec>;
  #server: SupervisedProcess | undefined;
  /** What a killed server left behind is taken away. */
  #cleared: Promise<void> = Promise.resolve();
  /** What was said last of engine and folder, which is worth saying once. */
  #said = '';

  constructor(context: ServiceContext<PostgresSpec>) {
    this.#context = context;
  }

  get stopTimeoutMs(): number | undefined {
    return this.#context.spec['stop-timeout'];
  }

  async load(): Promise<undefined> {
    this.#endpoint();
    return undefined;
  }

  async init({ environment, proposedMappings, signal }: InitPhase): Promise<InitAnswer> {
    const { name } = this.#endpoint();
    const { access } = await this.#prepare(environment, signal);
    const parts = [access.user, access.password].map(encodeURIComponent).join(':');
    const authority = authorityOf(requireAddress(proposedMappings, name));
    const value = `postgres://${parts}@${authority}/${encodeURIComponent(access.database)}`;
    return {
      mappings: proposedMappings,
      configurations: [{ group: 'connection', values: [{ key: 'url', value, secret: true }] }],
    };
  }

  async start({ environment, mappings, signal }: StartPhase): Promise<void> {
    const { run, place, access } = await this.#prepare(environment, signal);
    const log = (text: string): void => this.#context.log(text);
    await this.#cleared;
    await settlePrevious(place, signal, log);
    const { cluster, kept } = place;
    if (!isProvisioned(kept, access)) await provision({ ...run, place, cluster, isFresh: false }, access);
    const { instance, disposable, spec } = this.#context;
    const { port } = requireAddress(mappings, this.#endpoint().name);
    const { user, installation } = run;
    this.#server = await launchServer({
      supervise: (options) => this.#context.supervise(options),
      options: {
        command: [
          `${installation.bin}/postgres`,
          ...serverArguments({ cluster, port, instance, disposable, settings: spec.settings }),
        ],
        cwd: place.home,
        environment: run.environment,
        ...(user && { uid: user.uid, gid: user.gid }),
      },
      ready: () => this.#context.ready(),
      running: async (server) => {
        this.#server = server;
        this.#clearAfter(server, cluster);
        await noteServer(kept, server.pid);
      },
      signal,
    });
  }

  async stop({ timeoutMs }: StopPhase): Promise<'stopped' | 'forced' | undefined> {
    return this.#server === undefined ? undefined : stopServer(this.#server, timeoutMs);
  }

  async destroy({ deleteData }: { readonly deleteData: boolean }): Promise<void> {
    const { dataDirectory, disposable } = this.#context;
    await this.#cleared;
    if (deleteData || disposable) removeData(dataPlace(dataDirectory, await serverUser()));
  }

  /** @throws {AgentFailure} POSTGRES_ENDPOINT */
  #endpoint(): Endpoint {
    const [endpoint, ...others] = this.#context.endpoints;
    if (endpoint?.api === 'tcp' && others.length === 0) return endpoint;
    const found = this.#context.endpoints.map(({ name, api }) => `${name} (${api})`).join(', ') || 'none';
    throw new AgentFailure(
      'POSTGRES_ENDPOINT',
      `a server of PostgreSQL has exactly one tcp endpoint; this has ${found}`,
      {
        remedy: 'Write `endpoints: [{ name: sql, api: tcp }]`.',
      },
    );
  }

  /** Repeating it changes nothing; a running server is not disturbed. */
  async #prepare(environment: readonly Variable[], signal: AbortSignal): Promise<Prepared> {
    try {
      return await this.#prepareData(serverEnvironment(environment), signal);
    } catch (error) {
      throw fileFailure(error);
    }
  }

  async #prepareData(environment: readonly Variable[], signal: AbortSignal): Promise<Prepared> {
    const { dataDirectory, disposable, spec } = this.#context;
    const user = await serverUser();
    const place = dataPlace(dataDirectory, user);
    const access = this.#access(place);
    const version = dataVersion(place.cluster, user?.uid ?? process.getuid?.());
    const installation = await this.#installation(variable(environment, 'PATH') ?? '', version, user);
    const run: ServerRun = { context: this.#context, installation, user, environment, signal };
    this.#sayOnce(run, place);
    if (version === undefined) {
      makeHome(place);
      await this.#endUnfinished(place, signal);
      await removeUnfinished(place.home);
      await createCluster({ ...run, place, access, initdbArguments: spec['initdb-arguments'], disposable });
    }
    return { run, place, access };
  }

  /** The initdb of an agent that was killed may still be at work. */
  async #endUnfinished({ home }: DataPlace, signal: AbortSignal): Promise<void> {
    const unfinished = unfinishedClusters(home);
    if (unfinished.length === 0) return;
    await killLeftBehind([home, ...unfinished], signal, (text) => this.#context.log(text));
  }

  #access({ kept }: DataPlace): Access {
    const { spec, identity } = this.#context;
    const password = spec.password ?? keptPassword(kept);
    this.#context.hide(password);
    this.#context.hide(encodeURIComponent(password));
    return { user: spec.user, password, database: spec.database ?? identity.name.replace(/\W/g, '_') };
  }

  async #installation(
    path: string,
    dataVersion: string | undefined,
    user: ServerUser | undefined,
  ): Promise<Installation> {
    const { engine, version } = this.#context.spec;
    const natives = engine === 'embedded' ? [] : await nativeInstallations(path);
    const runnable = natives.filter(({ bin }) => user === undefined || mayEnter(bin, user));
    const embedded = embeddedPackage();
    const found = [...runnable, ...(embedded === undefined ? [] : [embedded])];
    const chosen = chooseInstallation({ engine, version, dataVersion }, found);
    return 'bin' in chosen ? chosen : usableEmbedded(chosen, user);
  }

  #sayOnce({ installation, user }: ServerRun, { home, kept }: DataPlace): void {
    const { engine, version, bin } = installation;
    const as = user === undefined ? '' : ` as the user ${user.name}`;
    const where = home === kept ? '' : `; the data is in ${home}, for ${user?.name} cannot enter ${kept}`;
    const text = `PostgreSQL ${version} (${engine}, ${bin})${as}${where}`;
    if (text !== this.#said) this.#context.log(text);
    this.#said = text;
  }

  /** A killed server cleans up nothing, and its processes may be too busy to notice. */
  #clearAfter(server: SupervisedProcess, cluster: string): void {
    const log = (text: string): void => this.#context.log(text);
    const complain = (error: unknown): void =>
      log(`what the server left behind is still there: ${String(error)}`);
    server.ended.then(({ exit }) => {
      if (exit.kind === 'signalled') this.#cleared = clearAfterKill(cluster, server.pid, log).catch(complain);
    }, complain);
  }
}
