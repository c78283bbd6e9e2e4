const BOOK = ["book", "board", "drafts", "versions", "thread", "import", "review", "patches", "health", "graph", "lineup"];
/** Every page that needs no run. */
export const PAGES = ["/", "/scenes", "/compose", "/characters", "/characters/alice", "/episodes", "/workshop", ...BOOK.map((page) => `/workshop/${page}`), "/ensemble", "/costs", "/runs", "/acts", "/nowhere"];
