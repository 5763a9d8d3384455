/**
 * Listens to folders, one handle of the system for each, however many files they hold. What is heard only says that it is
 * worth while to look; nothing relies on its being complete or true.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';

export interface ListenerOptions {
  /** Something of this name in the folder was touched; `null`: something, or the folder itself. */
  readonly onTouch: (folder: string, name: string | null) => void;
  /** The system refuses to listen, such as ENOSPC where its limit is reached. */
  readonly onRefusal: (folder: string, error: NodeJS.ErrnoException) => void;
  readonly listen?: typeof watch;
}

interface Listener {
  readonly identity: string;
  readonly handle: FSWatcher;
}

export class FolderListeners implements Disposable {
  readonly #options: ListenerOptions;
  readonly #listeners = new Map<string, Listener>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Listens from now on; `identity` tells the folder from one of the same name that is gone. */
  attach(folder: string, identity: string): void {
    const former = this.#listeners.get(folder);
    if (former?.identity === identity) return;
    this.#detach(folder);
    const { listen = watch, onRefusal } = this.#options;
    try {
      const handle = listen(folder, { persistent: false });
      this.#listeners.set(folder, { identity, handle });
      handle.on('change', (event, name) => this.#touched(folder, event, name));
      handle.on('error', (error) => {
        if (this.#listeners.get(folder)?.handle !== handle) return;
        this.#detach(folder);
        onRefusal(folder, error);
      });
    } catch (error) {
      onRefusal(folder, error as NodeJS.ErrnoException);
    }
  }

  /** Leaves all others. */
  keep(folders: { has(folder: string): boolean }): void {
    for (const folder of this.#listeners.keys()) if (!folders.has(folder)) this.#detach(folder);
  }

  [Symbol.dispose](): void {
    for (const folder of this.#listeners.keys()) this.#detach(folder);
  }

  #touched(folder: string, event: string, name: string | Buffer | null): void {
    const text = name === null ? null : String(name);
    // Moved away or removed, it is heard under its own name, and never again.
    const isItself = event === 'rename' && text === basename(folder);
    if (isItself) this.#detach(folder);
    this.#options.onTouch(folder, isItself ? null : text);
  }

  #detach(folder: string): void {
    this.#listeners.get(folder)?.handle.close();
    this.#listeners.delete(folder);
  }
}
