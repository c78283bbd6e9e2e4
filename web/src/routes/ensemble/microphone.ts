/** The microphone, where the browser has one and lets a page use it: on this machine, or over HTTPS. */

export interface Listening {
  /** Ends the recording, gives the microphone back, and has what was recorded. */
  stop(): Promise<Blob>;
}

export function canListen(): boolean {
  return typeof MediaRecorder !== "undefined" && !!(navigator.mediaDevices as MediaDevices | undefined);
}

/** Begins a recording. Raises DOMException if the reader or the machine refuses. */
export async function listenIn(devices: Pick<MediaDevices, "getUserMedia">): Promise<Listening> {
  const stream = await devices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const parts: Blob[] = [];
  const done = new Promise<Blob>((resolve) => {
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => {
      for (const track of stream.getTracks()) track.stop();
      resolve(new Blob(parts, { type: recorder.mimeType }));
    });
  });
  recorder.start();
  return {
    stop() {
      if (recorder.state !== "inactive") recorder.stop();
      return done;
    },
  };
}
