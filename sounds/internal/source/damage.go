package source

// Damage is a place of a file that could not be decoded.
type Damage struct {
	Frame  int64 // start of the damage, in frames of Next
	Frames int64 // number of concealed frames; may be 0
	Err    error // the decoding error
}

// MaxDamages is the maximum number of damages per file. The last one covers the rest.
const MaxDamages = 100

// Conceal records in h.Damages that frames frames were concealed from the frame number frame on because of fault;
// frames may be 0. It merges adjacent damages, which keep the first fault. After MaxDamages it extends the last one.
func (h *Head) Conceal(frame, frames int64, fault error) {
	if n := len(h.Damages); n > 0 {
		last := &h.Damages[n-1]
		if end := last.Frame + last.Frames; frame >= last.Frame && (frame <= end || n == MaxDamages) {
			last.Frames = max(frame+frames, end) - last.Frame
			return
		}
	}
	h.Damages = append(h.Damages, Damage{frame, frames, fault})
}

// DrainDamages returns the damages recorded since the last call, and removes them from h; nil: no damage.
func (h *Head) DrainDamages() []Damage {
	list := h.Damages
	h.Damages = nil
	return list
}

// PlausibleGap returns the number of frames to conceal from the frame number at on: missing, or 0 if missing is not
// positive or implausibly long for bytes, the number of bytes of the file read until now.
func (h *Head) PlausibleGap(missing, at, bytes int64) int64 {
	if limit := 10*int64(h.Rate) + 64*bytes; missing <= 0 || missing > limit || at > limit-missing {
		return 0
	}
	return missing
}

// MaxFade is the maximum length of the fades at both ends of a gap, in frames.
const MaxFade = 256

// FadeOut overwrites the beginning of gap with tail, the audio before it, reversed in time and fading out. It changes
// as many frames as gap and tail both have, at most MaxFade. Both are interleaved.
func FadeOut(gap, tail []float32, channels int) {
	frames := min(len(gap)/channels, len(tail)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[i*channels+ch] = tail[len(tail)-(i+1)*channels+ch] * w
		}
	}
}

// FadeIn adds head, the audio after gap, reversed in time and fading in, to the end of gap. It changes as many frames
// of gap as gap and head both have, at most MaxFade. Both are interleaved; head is unchanged.
func FadeIn(gap, head []float32, channels int) {
	frames := min(len(gap)/channels, len(head)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[len(gap)-(i+1)*channels+ch] += float32(head[i*channels+ch] * w)
		}
	}
}

// Tail returns a copy of the last MaxFade frames of samples, or all if there are fewer, for FadeOut. It reuses the
// memory of old, which may be nil. Samples are interleaved.
func Tail(old, samples []float32, channels int) []float32 {
	return append(old[:0], samples[max(len(samples)-MaxFade*channels, 0):]...)
}

// GapChunk is the number of concealed frames returned at a time.
const GapChunk = 3840
