import { expect, test } from "vitest";
import { inBase64 } from "./file";

test("a file of any size and any bytes comes out as it went in", async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
  expect(Buffer.from(await inBase64(new Blob([bytes])), "base64").equals(Buffer.from(bytes))).toBe(true);
  expect(await inBase64(new Blob([]))).toBe("");
});
