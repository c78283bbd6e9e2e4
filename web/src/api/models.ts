/** The models that can be asked here, by the names to ask for them. */
import { get, type Schemas } from "./client";

export async function usableModels(): Promise<string[]> {
  const { providers } = await get<Schemas["ModelList"]>("/v1/models");
  return providers.filter(({ usable }) => usable).flatMap((one) => one.models.map(({ name }) => name));
}
