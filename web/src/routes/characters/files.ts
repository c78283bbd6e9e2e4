/** The cards in what was dropped: files, and everything in folders, however deep. */

const CARD = /\.(png|json|charx)$/i;
/** Nobody has so many characters; a disk that was dropped by mistake has more. */
export const MOST_FILES = 500;

export async function cardsIn(dropped: DataTransfer): Promise<File[]> {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...dropped.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= MOST_FILES) return;
  if (entry.isFile) {
    if (!CARD.test(entry.name)) return;
    found.push(await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A folder is read in parts; an empty part is its end.
  for (let part = await read(reader); part.length; part = await read(reader)) {
    for (const inside of part) await collect(inside, found);
  }
}

const read = (reader: FileSystemDirectoryReader) => new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
