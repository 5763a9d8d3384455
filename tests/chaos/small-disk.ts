/** A disk of its own, small enough to be filled; where mounts are not allowed there is none. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class SmallDisk implements Disposable {
  /** Absolute. */
  readonly folder: string;

  static make(): SmallDisk | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'disk-'));
    if (mount('-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', folder)) return new SmallDisk(folder);
    rmSync(folder, { recursive: true });
    return undefined;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** From now on nothing more can be written. */
  fill(): void {
    for (let bytes = 64 * 1024; bytes >= 1; bytes = bytes > 1 ? Math.ceil(bytes / 16) : 0)
      for (let index = 0; this.#write(`${bytes}-${index}`, bytes); index++);
  }

  /** From now on nothing can be written or removed. */
  lock(): void {
    if (!mount('-o', 'remount,ro', this.folder)) throw new Error(`${this.folder} cannot be made read-only`);
  }

  unlock(): void {
    if (!mount('-o', 'remount,rw', this.folder)) throw new Error(`${this.folder} cannot be made writable`);
  }

  [Symbol.dispose](): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #write(name: string, bytes: number): boolean {
    try {
      writeFileSync(join(this.folder, name), Buffer.alloc(bytes));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
      throw error;
    }
  }
}

function mount(...words: readonly string[]): boolean {
  return spawnSync('mount', words, { stdio: 'ignore' }).status === 0;
}
