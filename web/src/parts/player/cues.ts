/** The cues of a caption track, as a page shows them. */

export interface Spoken {
  /** Empty if the cue names nobody. */
  readonly speaker: string;
  readonly text: string;
}

/** Those that are heard now. */
export function spokenIn(cues: TextTrackCueList | null): Spoken[] {
  return Array.from(cues ?? []).filter((cue) => cue instanceof VTTCue).map(spokenBy);
}

/** The browser reads the markup of a cue; a voice becomes an element with the speaker as its title. */
function spokenBy(cue: VTTCue): Spoken {
  const read = cue.getCueAsHTML();
  return { speaker: read.querySelector<HTMLElement>("[title]")?.title ?? "", text: read.textContent ?? "" };
}
