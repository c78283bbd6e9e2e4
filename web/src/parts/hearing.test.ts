import { expect, test, vi } from "vitest";
import { Hearing } from "./hearing.svelte";

const sound = (name: string) => async () => new Blob([name]);

test("what comes is heard one after the other, each once, and not what was there before", async () => {
  const heard: string[] = [];
  const hearing = new Hearing(async (one) => void heard.push(await one.text()));
  hearing.skip("1");
  hearing.start();
  for (const id of ["1", "2", "3", "2"]) hearing.add(id, sound(id));
  await vi.waitFor(() => expect(heard).toEqual(["2", "3"]));
  await vi.waitFor(() => expect(hearing.now).toBe(null));
});

test("the next is fetched while one is heard, and no further", async () => {
  const asked: string[] = [];
  let end = () => {};
  const hearing = new Hearing(() => new Promise((resolve) => (end = resolve)));
  const load = (id: string) => async () => (asked.push(id), new Blob([id]));
  hearing.start();
  for (const id of ["1", "2", "3"]) hearing.add(id, load(id));
  await vi.waitFor(() => expect(hearing.now).toBe("1"));
  expect(asked).toEqual(["1", "2"]);
  end();
  await vi.waitFor(() => expect(hearing.now).toBe("2"));
  expect(asked).toEqual(["1", "2", "3"]);
});

test("who stops listening hears no more, and begins again with what comes then", async () => {
  const heard: string[] = [];
  const hearing = new Hearing((one, signal) =>
    one.text().then((text) => new Promise<void>((resolve) => (heard.push(text), text === "1" ? signal.addEventListener("abort", () => resolve()) : resolve()))),
  );
  hearing.start();
  for (const id of ["1", "2"]) hearing.add(id, sound(id));
  await vi.waitFor(() => expect(heard).toEqual(["1"]));
  hearing.stop();
  hearing.add("3", sound("3"));
  await vi.waitFor(() => expect(hearing.now).toBe(null));
  hearing.start();
  hearing.add("4", sound("4"));
  await vi.waitFor(() => expect(heard).toEqual(["1", "4"]));
});

test("a sound that cannot be had is told, and ends the listening", async () => {
  const hearing = new Hearing(async () => {});
  hearing.start();
  hearing.add("1", () => Promise.reject(new Error("The engine is gone.")));
  await vi.waitFor(() => expect(hearing.problem).toBe("The engine is gone."));
  expect(hearing.on).toBe(false);
});

test("where no voice speaks, that is told", async () => {
  const hearing = new Hearing(async () => {});
  hearing.start();
  hearing.add("1", async () => null);
  await vi.waitFor(() => expect(hearing.silent).toBe(true));
});
