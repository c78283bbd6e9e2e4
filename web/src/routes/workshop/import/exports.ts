/** The manuscript on its way out: what can be wished, and the address that answers it. */
export const FORMS = ["docx", "epub", "md", "txt"] as const;
export type Form = (typeof FORMS)[number];
/** The header in which an export says what it left out. */
export const REMARKS = "X-Dramaturg-Remarks";

export interface ExportWish {
  readonly form: Form;
  readonly title: string;
  readonly author: string;
  /** Such as `1-3,5`; all if empty. */
  readonly chapters: string;
  readonly track: boolean;
  readonly remarks: boolean;
}

/** Tracked changes and remarks are for Word alone. */
export function exportPath(base: string, { form, track, remarks, ...words }: ExportWish): string {
  const asked = new URLSearchParams(Object.entries(words).filter(([, text]) => text.trim()));
  if (form === "docx" && track) asked.set("track", "true");
  if (form === "docx" && remarks) asked.set("remarks", "true");
  const search = asked.toString();
  return `${base}/manuscript/exports/${form}${search && `?${search}`}`;
}
