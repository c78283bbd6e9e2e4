/** The one book of this server. */
import { at, get, type Schemas } from "../../api/client";

export async function theBook(): Promise<{ base: string; title: string }> {
  const { projects } = await get<Schemas["ProjectList"]>("/v1/projects");
  const [book] = projects;
  return { base: at("/v1/projects", book?.project ?? "main"), title: book?.title ?? "" };
}
