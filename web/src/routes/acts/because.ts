/** Why an act went on as it did. What an author wrote of a way on is shown as it is. */
import { say } from "../../words/say";

const RULES: Readonly<Record<string, "acts.because.order" | "acts.because.otherwise">> = {
  "in the order of the act": "acts.because.order",
  "nothing else holds": "acts.because.otherwise",
};

export function because(said: string): string {
  const rule = RULES[said];
  return rule ? say(rule) : said;
}
