/** A browser's storage; one with no room refuses every word. */
export function storage(room = true): Storage {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      if (!room) throw new DOMException("full", "QuotaExceededError");
      kept[key] = value;
    },
    removeItem: (key: string) => delete kept[key],
  };
  return new Proxy(methods, { ownKeys: () => Object.keys(kept), getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }) as unknown as Storage;
}
