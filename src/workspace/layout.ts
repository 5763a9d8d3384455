/**
 * Which modules and services a workspace has and where each is written (W-1): inline, under `services/`, under
 * `modules/<module>/services/`, or at a path that an entry names. Reads every file; judges form and names, not references.
 */
import { basename, dirname } from 'node:path';
import type * as z from 'zod';
import { type FilePlace, formatPlace, SkeinError } from '../errors/index.ts';
import type { List, ModuleBody, ServiceBody, WorkspaceBody } from './bodies.ts';
import { check, type Fillers } from './check.ts';
import { type Path, readDocument, type YamlDocument } from './document.ts';
import type { Doubts } from './doubts.ts';
import {
  exists,
  fileStart,
  foldersIn,
  inFolder,
  isFolder,
  isInside,
  isRealPath,
  readSource,
  realPath,
  resolveInside,
} from './files.ts';
import { workspaceFileName } from './find.ts';
import type { Module, ServiceId } from './model.ts';
import { namePattern, serviceId } from './names.ts';
import { moduleSchema, serviceSchema, workspaceSchema } from './schema.ts';
import { type Candidate, candidateOf } from './service.ts';
import { nameExpected } from './vocabulary.ts';

const moduleFileName = 'module.skein.yaml';
const serviceFileName = 'service.skein.yaml';

export interface Layout {
  readonly name: string;
  readonly root: string;
  readonly file: string;
  readonly modules: readonly Module[];
  readonly services: ReadonlyMap<ServiceId, Candidate>;
  readonly faults: readonly SkeinError[];
  /** Modules that hold a service whose name could not be read. */
  readonly incompleteModules: ReadonlySet<string>;
  /** Whether a module's name could not be read. */
  readonly incomplete: boolean;
}

/**
 * @throws {SkeinError} SK1001 when the folder holds no workspace file, and the faults of `readSource` for that file. All
 *   other faults are in the layout.
 */
export async function readLayout(root: string): Promise<Layout> {
  if (!exists(inFolder(root, workspaceFileName)))
    throw new SkeinError('SK1001', `no ${workspaceFileName} in ${root}`);
  return new LayoutReader(realPath(root)).read();
}

interface Written<Body> {
  readonly document: YamlDocument;
  readonly body: Body;
  readonly doubts: Doubts;
}

/** A list of services, and the module and file that it stands in. */
interface ServiceList {
  readonly module: string;
  readonly moduleRoot: string;
  readonly entries: List<string | ServiceBody> | undefined;
  readonly document: YamlDocument;
  /** Where the mapping that has the `services` key stands. */
  readonly path: Path;
  readonly doubts: Doubts;
  /** The folder of the file. */
  readonly folder: string;
}

const serviceFillers: Fillers = new Map([['agent', 'skein/unknown']]);
const workspaceFillers: Fillers = new Map([...serviceFillers, ['name', 'unnamed']]);

class LayoutReader {
  readonly #root: string;
  readonly #file: string;
  readonly #faults: SkeinError[] = [];
  readonly #modules = new Map<
    string,
    { readonly root: string; readonly place: FilePlace; readonly services: ServiceId[] }
  >();
  readonly #services = new Map<ServiceId, Candidate>();
  readonly #incompleteModules = new Set<string>();
  #incomplete = false;

  constructor(root: string) {
    this.#root = root;
    this.#file = inFolder(root, workspaceFileName);
  }

  async read(): Promise<Layout> {
    const workspace = await this.#written(this.#file, workspaceSchema, workspaceFillers);
    const name = workspace?.body.name ?? 'unnamed';
    if (workspace !== undefined) await this.#workspace(name, workspace);
    return {
      name,
      root: this.#root,
      file: this.#file,
      modules: [...this.#modules].map(([module, { root, services }]) => ({ name: module, root, services })),
      services: this.#services,
      faults: this.#faults,
      incompleteModules: this.#incompleteModules,
      incomplete: this.#incomplete,
    };
  }

  async #workspace(name: string, { document, body, doubts }: Written<WorkspaceBody>): Promise<void> {
    const place = document.place(['name']);
    if (doubts.about(['name'])) this.#incomplete = true;
    const own: ServiceList = {
      module: name,
      moduleRoot: this.#root,
      entries: body.services,
      document,
      path: [],
      doubts,
      folder: this.#root,
    };
    const discovered =
      body.services === undefined ? this.#discover(this.#root, 'services', serviceFileName) : [];
    const modules = body.modules ?? this.#discover(this.#root, 'modules', moduleFileName);
    const flat = (body.services ?? discovered).length > 0;
    // Without a module of its own the workspace's name stays free for one of the modules.
    if (flat || modules.length === 0) {
      this.#modules.set(name, { root: this.#root, place, services: [] });
      await this.#serviceList(own, discovered);
    }
    if (body.modules === undefined && doubts.about(['modules'])) this.#incomplete = true;
    for (const [index, entry] of modules.entries())
      await this.#moduleEntry(entry, ['modules', index], document, doubts);
  }

  async #moduleEntry(
    entry: string | ModuleBody | undefined,
    path: Path,
    document: YamlDocument,
    doubts: Doubts,
  ): Promise<void> {
    if (typeof entry === 'object') {
      const name = entry.name ?? 'unnamed';
      const list = {
        module: name,
        moduleRoot: this.#root,
        entries: entry.services,
        document,
        path,
        doubts,
        folder: this.#root,
      };
      await this.#module(name, this.#root, document.place([...path, 'name']), list, []);
      return;
    }
    if (entry === undefined || !(await this.#moduleAt(entry, document.place(path)))) this.#incomplete = true;
  }

  /** Whether the module's name could be read. */
  async #moduleAt(entry: string, place: FilePlace): Promise<boolean> {
    const at = this.#attempt(() => this.#entryFile(entry, moduleFileName, this.#root, this.#root, place));
    if (at === undefined) return false;
    const module = await this.#written(at.file, moduleSchema, serviceFillers);
    if (module === undefined) return false;
    const { document, body, doubts } = module;
    const name = this.#nameIn(body.name, document, at.folder);
    if (name === undefined) return false;
    const discovered =
      body.services === undefined ? this.#discover(at.folder, 'services', serviceFileName) : [];
    const list = {
      module: name,
      moduleRoot: at.folder,
      entries: body.services,
      document,
      path: [],
      doubts,
      folder: at.folder,
    };
    await this.#module(name, at.folder, document.place(['name']), list, discovered);
    return !doubts.about(['name']);
  }

  async #module(
    name: string,
    root: string,
    place: FilePlace,
    list: ServiceList,
    discovered: readonly string[],
  ): Promise<void> {
    const first = this.#modules.get(name);
    if (first !== undefined) {
      this.#twice(`module \`${name}\``, place, first.place);
      return;
    }
    this.#modules.set(name, { root, place, services: [] });
    await this.#serviceList(list, discovered);
  }

  async #serviceList(list: ServiceList, discovered: readonly string[]): Promise<void> {
    if (list.entries === undefined && list.doubts.about([...list.path, 'services']))
      this.#incompleteModules.add(list.module);
    for (const [index, entry] of (list.entries ?? discovered).entries()) {
      const path = [...list.path, 'services', index];
      if (typeof entry === 'object')
        this.#service(list, entry.name ?? 'unnamed', entry, list.document, path, list.doubts, list.folder);
      else if (entry === undefined || !(await this.#serviceAt(entry, list, path)))
        this.#incompleteModules.add(list.module);
    }
  }

  /** Whether the service's name could be read. */
  async #serviceAt(entry: string, list: ServiceList, path: Path): Promise<boolean> {
    const place = list.document.place(path);
    const at = this.#attempt(() =>
      this.#entryFile(entry, serviceFileName, list.folder, list.moduleRoot, place),
    );
    if (at === undefined) return false;
    const service = await this.#written(at.file, serviceSchema, serviceFillers);
    if (service === undefined) return false;
    const { document, body, doubts } = service;
    const name = this.#nameIn(body.name, document, at.folder);
    if (name === undefined) return false;
    this.#service(list, name, body, document, [], doubts, at.folder);
    return !doubts.about(['name']);
  }

  #service(
    list: ServiceList,
    name: string,
    body: ServiceBody,
    document: YamlDocument,
    path: Path,
    doubts: Doubts,
    directory: string,
  ): void {
    const id = serviceId(list.module, name);
    const place = document.place([...path, 'name']);
    const first = this.#services.get(id)?.draft;
    if (first !== undefined) {
      this.#twice(`service \`${id}\``, place, first.place);
      return;
    }
    const draft = { id, module: list.module, name, body, document, path, directory, place, doubts };
    this.#modules.get(list.module)?.services.push(id);
    this.#services.set(id, candidateOf(draft, this.#root, this.#faults));
  }

  #twice(what: string, place: FilePlace, first: FilePlace): void {
    this.#faults.push(
      new SkeinError('SK1030', `${what} is declared twice: here and at ${formatPlace(first)}`, { place }),
    );
  }

  /** A name from the file, else the folder's, which must be one. */
  #nameIn(written: string | undefined, document: YamlDocument, folder: string): string | undefined {
    const name = written ?? basename(folder);
    if (namePattern.test(name)) return name;
    const message = `\`name\` is missing, and the folder's name \`${name}\` cannot stand for it: it must be ${nameExpected}`;
    this.#faults.push(new SkeinError('SK1013', message, { place: document.place([]) }));
    return undefined;
  }

  /**
   * The file that an entry's path leads to, a folder or the file itself, and the folder that holds it; both inside the root.
   * @throws {SkeinError} SK1002, SK1020, SK1021
   */
  #entryFile(
    entry: string,
    fileName: string,
    base: string,
    root: string,
    place: FilePlace,
  ): { file: string; folder: string } {
    const usual = inFolder(base, entry, fileName);
    // No link on the way and nothing to explain: one call settles what takes seven below.
    if (isInside(root, usual) && isRealPath(usual)) return { file: usual, folder: dirname(usual) };
    const real = resolveInside(entry, { base, root }, place);
    const folder = isFolder(real) ? real : dirname(real);
    if (folder !== real && basename(real) !== fileName)
      throw new SkeinError('SK1021', `the path \`${entry}\` is neither a folder nor a ${fileName}`, {
        place,
      });
    const file = inFolder(folder, fileName);
    if (!exists(file))
      throw new SkeinError('SK1021', `the path \`${entry}\` leads to ${folder}, which holds no ${fileName}`, {
        place,
      });
    return { file: resolveInside(file, { base: folder, root }, place), folder };
  }

  /** Paths of the folders that count by convention: those that hold the file. */
  #discover(folder: string, under: string, fileName: string): readonly string[] {
    const found = this.#attempt(() =>
      foldersIn(inFolder(folder, under)).filter((name) => {
        const path = inFolder(folder, under, name);
        if (exists(inFolder(path, fileName))) return true;
        if (fileName === moduleFileName) this.#forgotten(path);
        return false;
      }),
    );
    return (found ?? []).map((name) => `${under}/${name}`);
  }

  /** A module's folder full of services without the module's file would vanish in silence. */
  #forgotten(folder: string): void {
    const services = foldersIn(inFolder(folder, 'services'));
    if (!services.some((name) => exists(inFolder(folder, 'services', name, serviceFileName)))) return;
    const message = `${folder} holds services but no ${moduleFileName}`;
    const remedy = `Write a ${moduleFileName} there with the module's name, or move the folder elsewhere.`;
    this.#faults.push(new SkeinError('SK1021', message, { place: fileStart(folder), remedy }));
    this.#incomplete = true;
  }

  async #written<Body>(
    file: string,
    schema: z.ZodType<Body>,
    fillers: Fillers,
  ): Promise<Written<Body> | undefined> {
    const source = this.#attempt(() => readSource(file));
    if (source === undefined) return undefined;
    const { document, faults } = await readDocument(source);
    this.#faults.push(...faults);
    if (document === undefined) return undefined;
    const checked = check(schema, document, fillers);
    this.#faults.push(...checked.faults);
    return checked.body === undefined ? undefined : { document, body: checked.body, doubts: checked.doubts };
  }

  /** Keeps a foreseen fault with the others and goes on with the next entry. */
  #attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      this.#faults.push(error);
      return undefined;
    }
  }
}
