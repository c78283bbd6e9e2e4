/** A file as it is sent. */
export interface Sent {
  readonly name: string;
  /** Its bytes, in Base64. */
  readonly content: string;
}

/** The bytes of a file as an API in JSON takes them. */
export async function inBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
