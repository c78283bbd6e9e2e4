import { readFileSync } from "node:fs";
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

/** Prints what the page showed when a story failed: where only the output is kept, that says more than a file's name. */
export default class Failures implements Reporter {
  onTestEnd({ title }: TestCase, { status, expectedStatus, attachments }: TestResult) {
    if (status === expectedStatus) return;
    for (const { name, path } of attachments) {
      if (name === "error-context" && path) console.log(`\nThe page of “${title}”:\n${readFileSync(path, "utf-8").slice(0, 6000)}`);
    }
  }
}
