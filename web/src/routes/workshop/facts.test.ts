import { expect, test } from "vitest";
import { graphOf, type Fact } from "./facts";

const fact = (id: number, subject: string, object: string): Fact =>
  ({ id, subject, object, predicate: "knows", said: "", quote: "" }) as unknown as Fact;

test("a fact that comes twice is drawn once, and one without an object is not drawn", () => {
  const { nodes, edges } = graphOf([fact(1, "Ruth", "Ida"), fact(1, "Ruth", "Ida"), fact(2, "Ruth", "")]);
  expect(nodes.map(({ id, facts }) => [id, facts])).toEqual([["Ruth", 1], ["Ida", 1]]);
  expect(edges).toHaveLength(1);
});

test("20,000 facts leave a graph that can be drawn, and say how many are left out", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => fact(at, `a${at % 90}`, `b${at % 70}`));
  const { edges, left } = graphOf(many);
  expect([edges.length, left]).toEqual([300, 19_700]);
});
