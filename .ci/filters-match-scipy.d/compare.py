"""Compares impulse responses with scipy.signal and with Bristow-Johnson's cookbook.

    compare.py FOLDER

FOLDER is the output of the program in the same folder as this file. Voices have two-pole
Butterworth filters by the bilinear transform, as in scipy.signal.butter. Bands have the
coefficients of the "Cookbook formulae for audio EQ biquad filter coefficients", computed here.
Each comparison is repeated with a slightly wrong parameter, and must then fail.
"""

import collections
import json
import pathlib
import sys

import numpy as np
from scipy import signal

ALLOWED = 0.01  # dB
ROUNDING = 2e-7  # of full scale, -134 dB: the additional error of 24-bit samples
CENTRE = np.sqrt(2)  # a mono sound in the center is 3.01 dB lower on each side


def cookbook(kind, freq, gain, q, rate):
    """Returns the coefficients b and a of a band."""
    w = 2 * np.pi * min(freq, 0.49 * rate) / rate
    a, c, alpha = 10 ** (gain / 40), np.cos(w), np.sin(w) / (2 * q)
    if kind == "peak":
        return [1 + alpha * a, -2 * c, 1 - alpha * a], [1 + alpha / a, -2 * c, 1 - alpha / a]
    if kind == "notch":
        return [1, -2 * c, 1], [1 + alpha, -2 * c, 1 - alpha]
    if kind == "lowpass":
        return [(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha]
    if kind == "highpass":
        return [(1 + c) / 2, -(1 + c), (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha]
    r, s = 2 * np.sqrt(a) * alpha, {"lowshelf": 1, "highshelf": -1}[kind]
    return (
        [a * (a + 1 - s * (a - 1) * c + r), s * 2 * a * (a - 1 - s * (a + 1) * c), a * (a + 1 - s * (a - 1) * c - r)],
        [a + 1 + s * (a - 1) * c + r, -s * 2 * (a - 1 + s * (a + 1) * c), a + 1 + s * (a - 1) * c - r],
    )


def wanted(f, freqs):
    """Returns the expected magnitudes of a filter at some frequencies."""
    if f["Kind"].startswith("voice-"):
        b, a = signal.butter(2, min(f["Freq"], 0.49 * f["Rate"]), f["Kind"].removeprefix("voice-"), fs=f["Rate"])
    else:
        b, a = cookbook(f["Kind"], f["Freq"], f["Gain"], f["Q"], f["Rate"])
    return np.abs(signal.freqz(b, a, worN=freqs, fs=f["Rate"])[1])


def spectrum(h, rate):
    """Returns up to 400 frequencies below 0.45 of the rate, and the magnitudes without the loss of the pan."""
    n = 1 << max(int(len(h) - 1).bit_length(), 15)
    places = np.unique(np.round(np.geomspace(max(5, rate / n), 0.45 * rate, 400) * n / rate).astype(int))
    return places * rate / n, CENTRE * np.abs(np.fft.rfft(h, n)[places])


def off(got, want):
    """Returns the largest deviation of a response, in dB."""
    return 20 * np.log10(1 + np.max(np.maximum(np.abs(got - want) - ROUNDING, 0) / np.maximum(want, 1e-12)))


def bends(f):
    """Yields filters with a slightly wrong parameter, which the comparison must detect."""
    yield "Freq", f | {"Freq": f["Freq"] * 1.005}
    if f["Q"]:
        yield "Q", f | {"Q": f["Q"] * 1.01}
    if f["Gain"]:
        yield "Gain", f | {"Gain": f["Gain"] + 0.03}


def main(folder):
    samples = np.memmap(folder / "impulses.f32", dtype="<f4", mode="r")
    worst, count, failed = collections.defaultdict(float), collections.Counter(), 0
    bent, noticed = collections.Counter(), collections.Counter()
    for f in json.loads((folder / "index.json").read_text()):
        h = np.array(samples[f["Offset"] : f["Offset"] + f["Length"]], dtype=float)
        freqs, got = spectrum(h, f["Rate"])
        db, kind = off(got, wanted(f, freqs)), f["Kind"]
        count[kind] += 1
        worst[kind] = max(worst[kind], db)
        if not db <= ALLOWED:
            failed += 1
            print(f"{kind} {f['Freq']} Hz, gain {f['Gain']}, q {f['Q']}, at {f['Rate']} Hz: {db:.5f} dB off")
        for name, wrong in bends(f):
            bent[kind, name] += 1
            noticed[kind, name] += off(got, wanted(wrong, freqs)) > ALLOWED
    for kind, db in worst.items():
        seen = ", ".join(f"{name} {noticed[k, name]} of {n}" for (k, name), n in bent.items() if k == kind)
        print(f"{kind:15} {count[kind]:4} responses, at most {db:.5f} dB off; wrong ones noticed: {seen}")
    for which, n in bent.items():
        if noticed[which] < 0.75 * n:
            failed += 1
            print(f"{which}: a wrong one is noticed in {noticed[which]} of {n} responses only")
    if len(count) != 8 or failed:
        sys.exit(f"{failed} failed, {len(count)} kinds of 8")


main(pathlib.Path(sys.argv[1]))
