/**
 * A device may be taken away at any moment. Everything that waits for it waits through here, so
 * that a loss rejects whatever is pending with one sentence and leaves nothing hanging.
 */

import { DeviceError } from "./errors.js";

// A destroyed buffer's mapping fails a moment before the loss itself is told.
const LOSS_FOLLOWS_MS = 200;

export class Life {
  /** @param {GPUDevice} device */
  constructor(device) {
    /** @type {DeviceError | null} */
    this.loss = null;
    /** @type {string | null} */
    this.fault = null;
    /** @type {Set<(reason: Error) => void>} */
    this.waiting = new Set();
    /** Resolves with the sentence when the device is lost. @type {Promise<string>} */
    this.lost = device.lost.then((info) => {
      this.loss = new DeviceError("lost", sentence(info));
      for (const reject of this.waiting) reject(this.loss);
      this.waiting.clear();
      return this.loss.message;
    });
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      this.fault ??= event.error.message;
    });
  }

  /** Throw if the device is gone or has refused a command. */
  check() {
    if (this.loss) throw this.loss;
    if (this.fault) {
      const said = this.fault.split("\n")[0];
      this.fault = null;
      throw new DeviceError("kernel", `The device refused a command: ${said}`);
    }
  }

  /**
   * What the device promised, or the loss.
   *
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  async alive(promise) {
    this.check();
    /** @type {(reason: Error) => void} */
    let reject = () => {};
    const gone = new Promise((_, no) => {
      reject = no;
      this.waiting.add(no);
    });
    try {
      const value = await Promise.race([promise, gone]);
      this.check();
      return /** @type {T} */ (value);
    } catch (fault) {
      throw await this.explained(fault);
    } finally {
      this.waiting.delete(reject);
    }
  }

  /**
   * A browser's own exception as a sentence: the loss behind it, if there is one.
   *
   * @param {unknown} fault
   * @returns {Promise<DeviceError>}
   */
  async explained(fault) {
    if (fault instanceof DeviceError) return fault;
    await Promise.race([this.lost, new Promise((done) => setTimeout(done, LOSS_FOLLOWS_MS))]);
    if (this.loss) return this.loss;
    const said = fault instanceof Error ? fault.message.split("\n")[0] : String(fault);
    return new DeviceError("kernel", `The device could not do what it was asked: ${said}`);
  }
}

/** @param {GPUDeviceLostInfo} info @returns {string} */
function sentence(info) {
  if (info.reason === "destroyed") return "The graphics device was closed; start again to open it anew.";
  const said = info.message.split("\n")[0].trim().replace(/\.$/, "");
  return (
    "The graphics device was lost while it worked, as happens when a driver restarts or finds a task" +
    ` too long; start again, with a shorter sequence if it repeats${said ? ` (the browser said: ${said})` : ""}.`
  );
}
