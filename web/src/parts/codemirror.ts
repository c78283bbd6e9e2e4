/** CodeMirror as the studio uses it: prose in Markdown, in the design's own type and colours. Loaded when an editor opens. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { codeFolding, defineLanguageFacet, foldEffect, foldKeymap, foldService, HighlightStyle, Language, syntaxHighlighting } from "@codemirror/language";
import { unifiedMergeView } from "@codemirror/merge";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { styleTags, tags } from "@lezer/highlight";
import { parser, type BlockContext, type Line } from "@lezer/markdown";
import { say } from "../words/say";

/** The settings between two lines of `---` at the top of a file: no prose, and no headings in it. */
const matter = {
  defineNodes: [{ name: "FrontMatter", block: true }],
  props: [styleTags({ FrontMatter: tags.meta })],
  parseBlock: [
    {
      name: "FrontMatter",
      before: "HorizontalRule",
      parse(context: BlockContext, line: Line) {
        if (context.lineStart !== 0 || line.text.trim() !== "---") return false;
        while (context.nextLine() && line.text.trim() !== "---") continue;
        context.nextLine();
        context.addElement(context.elt("FrontMatter", 0, context.prevLineEnd()));
        return true;
      },
    },
  ],
};
const markdown = new Language(defineLanguageFacet(), parser.configure(matter), [], "markdown");

/** Where the settings stand, from the first line to the end of the last; null if there are none. */
export function matterOf(text: string): { from: number; to: number } | null {
  const found = /^---[ \t]*\r?\n(?:[^\n]*\n)*?---[ \t]*(?=\r?\n|$)/.exec(text);
  return found && { from: 0, to: found[0].length };
}

/** The settings are folded when a page opens: a writer sees the prose. A click, or the keys for it, unfolds them. */
const folding = [
  codeFolding({
    placeholderDOM(view, unfold) {
      const made = document.createElement("button");
      made.className = "cm-matter";
      made.textContent = say("book.matter");
      made.addEventListener("click", unfold);
      return made;
    },
  }),
  foldService.of((state, start) => (start === 0 ? matterOf(state.doc.toString()) : null)),
  keymap.of(foldKeymap),
];

const marks = HighlightStyle.define([
  { tag: tags.meta, color: "var(--soft)", fontFamily: "ui-monospace, monospace", fontSize: "var(--type-0)" },
  { tag: tags.heading, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.quote, color: "var(--soft)" },
  { tag: tags.processingInstruction, color: "var(--soft)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--sheet)", fontSize: "var(--type-2)" },
  "&.cm-focused": { outline: "1px solid var(--curtain)" },
  ".cm-scroller": { fontFamily: "var(--face-text)", lineHeight: "1.6" },
  ".cm-content": { maxWidth: "var(--measure)", minHeight: "24rem", margin: "0 auto", padding: "var(--space-5) var(--space-4)", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--hair)" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--paper)", borderColor: "var(--hair)" },
  ".cm-panel.cm-search": { padding: "var(--space-3)", fontSize: "var(--type-0)" },
  ".cm-textfield, .cm-button": { border: "1px solid var(--rule)", backgroundImage: "none", backgroundColor: "var(--sheet)", color: "var(--ink)", fontSize: "var(--type-0)" },
  ".cm-panel.cm-search [name=close]": { color: "var(--ink)", minWidth: "24px", minHeight: "24px" },
  ".cm-matter": { padding: "0", border: "0", background: "none", color: "var(--soft)", font: "var(--type-0) / 2 var(--face-ui)", textDecoration: "underline dotted", cursor: "pointer" },
  ".cm-searchMatch": { backgroundColor: "transparent", outline: "1px solid var(--warn)" },
  ".cm-deletedChunk": { padding: "var(--space-2) var(--space-3)", backgroundColor: "var(--paper)", borderLeft: "4px solid var(--bad)" },
  ".cm-deletedChunk .cm-chunkButtons": { position: "static", display: "flex", flexWrap: "wrap", gap: "var(--space-2)", paddingTop: "var(--space-2)" },
  ".cm-deletedChunk .cm-chunkButtons button": { minHeight: "2rem", padding: "0 var(--space-3)", border: "1px solid var(--rule)", borderRadius: "var(--round)", backgroundColor: "var(--sheet)", color: "var(--ink)", fontFamily: "var(--face-ui)", cursor: "pointer" },
  ".cm-deletedChunk .cm-deletedLine": { color: "var(--soft)", textDecoration: "none", background: "none" },
  ".cm-deletedChunk .cm-deletedText, .cm-deletedText": { color: "var(--bad)", textDecoration: "line-through", background: "none" },
  ".cm-changedLine": { backgroundColor: "transparent", borderLeft: "4px solid var(--good)" },
  "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "none", color: "var(--good)", textDecoration: "underline" },
});

/** CodeMirror's own words in the reader's language. */
const phrases = () =>
  EditorState.phrases.of({
    Find: say("find.find"),
    Replace: say("find.with"),
    next: say("find.next"),
    previous: say("find.previous"),
    all: say("find.all"),
    "match case": say("find.case"),
    "by word": say("find.word"),
    regexp: say("find.pattern"),
    replace: say("find.replace"),
    "replace all": say("find.replace.all"),
    close: say("play.close"),
    "current match": say("find.current"),
    "on line": say("find.line"),
  });

export interface Wanted {
  readonly label: string;
  readonly text: string;
  readonly typed: (text: string) => void;
  readonly save: () => void;
}

export interface OpenEditor {
  /** Replaces the text as something that the writer can undo. */
  write(text: string): void;
  /** Shows how the text differs from another one, with a button for each place; null ends it. */
  compare(other: string | null): void;
  close(): void;
}

/** An editor in a shadow tree: its style sheets are adopted there, which a page without inline styles allows. */
export function openEditor(host: HTMLElement, wanted: Wanted): OpenEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const differences = new Compartment();
  const state = EditorState.create({ doc: wanted.text, extensions: [...common(wanted), differences.of([])] });
  const view = new EditorView({ state, root, parent: root });
  const settings = matterOf(wanted.text);
  if (settings) view.dispatch({ effects: foldEffect.of(settings), selection: { anchor: settings.to } });
  return {
    write(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    compare(other) {
      const shown = other === null ? [] : unifiedMergeView({ original: other, gutter: false, mergeControls: button });
      view.dispatch({ effects: differences.reconfigure(shown) });
    },
    close: () => view.destroy(),
  };
}

function common({ label, typed, save }: Wanted): Extension[] {
  const saving = { key: "Mod-s", preventDefault: true, run: () => (save(), true) };
  return [
    history(),
    drawSelection(),
    search({ top: true }),
    EditorView.lineWrapping,
    markdown.extension,
    folding,
    syntaxHighlighting(marks),
    look,
    phrases(),
    keymap.of([saving, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "true", autocorrect: "on", autocapitalize: "sentences" }),
    EditorView.updateListener.of((update) => update.docChanged && typed(update.state.doc.toString())),
  ];
}

function button(type: "reject" | "accept", action: (event: MouseEvent) => void): HTMLElement {
  const made = document.createElement("button");
  made.className = "cm-button";
  made.textContent = say(type === "accept" ? "book.conflict.mine.here" : "book.conflict.theirs.here");
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", action);
  return made;
}
