/**
 * What can go wrong on a visitor's device, each as one plain sentence for the page.
 */

import { PlainError } from "../plain.js";

/**
 * @typedef {"none" | "limits" | "lost" | "stopped" | "input" | "memory" | "kernel" | "claim"} Kind
 * none: no WebGPU here; limits: a device too small; lost: taken away while it ran; stopped: the
 * visitor stopped it; input: a size that is not served; memory: it does not fit; kernel: a
 * kernel's text was refused; claim: what a report would say does not hold.
 */

/** A failure whose message is a plain sentence for the visitor. */
export class DeviceError extends PlainError {
  /** @param {Kind} kind @param {string} sentence */
  constructor(kind, sentence) {
    super(sentence);
    this.name = "DeviceError";
    this.kind = kind;
  }
}

/** @type {Record<string, string>} */
export const SENTENCES = {
  insecure:
    "Browsers offer WebGPU only to pages that come over https or from this computer; open the" +
    " page from such an address to run the kernels on your own chip.",
  absent:
    "This browser does not offer WebGPU, so the kernels cannot run on your chip; a current Chrome," +
    " Edge, Safari or Firefox does, and everything else on this page works without it.",
  noAdapter:
    "This browser knows WebGPU but found no graphics device that it can use; turn on hardware" +
    " acceleration in its settings or update the graphics driver, and try again.",
  refused:
    "The graphics device was found but could not be opened; close other pages that use it, and" +
    " try again.",
  stopped: "Stopped before it was finished; nothing was kept.",
};

/** End here if the visitor asked for it. @param {AbortSignal | undefined} signal */
export function stopIfAsked(signal) {
  if (signal?.aborted) throw new DeviceError("stopped", SENTENCES.stopped);
}
