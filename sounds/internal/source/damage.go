package source

// Damage is a place of a file that could not be decoded.
type Damage struct {
	Frame  int64 // start of the damage, in frames of Next
	Frames int64 // number of concealed frames; may be 0
	Err    error // the decoding error
}

// MaxDamages is the maximum number of damages per file. The last one covers the rest.
const MaxDamages = 100

// Conceal records in h.Damages that a place of the file is damaged. frame is its first frame, frames the number of
// concealed frames, which may be 0, and fault the reason. A place that touches or overlaps the last one is merged with
// it, and the first fault is kept. If h.Damages has MaxDamages places, the last one is extended instead. A place that
// begins before the last one is always added.
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

// DrainDamages returns the damages recorded since the last call, and removes them from h. Without damage it returns
// nil.
func (h *Head) DrainDamages() []Damage {
	list := h.Damages
	h.Damages = nil
	return list
}

// PlausibleGap checks the length of a gap, which follows from positions in a file and may be wrong. missing is the
// number of missing frames, and the parameter at is the frame where the gap begins. It returns missing, or 0 if
// missing is not positive, or if the gap is implausibly long or ends implausibly late. bytes is the number of bytes of
// the file read until now: 10 seconds plus 64 frames per byte are plausible for the length of the gap, and for the
// frame at its end.
func (h *Head) PlausibleGap(missing, at, bytes int64) int64 {
	if limit := 10*int64(h.Rate) + 64*bytes; missing <= 0 || missing > limit || at > limit-missing {
		return 0
	}
	return missing
}

// MaxFade is the maximum length of the fades at both ends of a gap, in frames.
const MaxFade = 256

// FadeOut fills the beginning of a gap with the fading sound before it. tail is the audio before the gap; it is
// written to gap reversed in time and fading out. It overwrites as many frames as gap and tail both have, at most
// MaxFade. Both are interleaved.
func FadeOut(gap, tail []float32, channels int) {
	frames := min(len(gap)/channels, len(tail)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[i*channels+ch] = tail[len(tail)-(i+1)*channels+ch] * w
		}
	}
}

// FadeIn lets the sound after a gap fade in at the end of the gap. head is the audio after the gap; it is added to
// the end of gap reversed in time. FadeIn changes as many frames of gap as gap and head both have, at most MaxFade.
// Both are interleaved, and head is unchanged.
func FadeIn(gap, head []float32, channels int) {
	frames := min(len(gap)/channels, len(head)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[len(gap)-(i+1)*channels+ch] += float32(head[i*channels+ch] * w)
		}
	}
}

// Tail returns a copy of the last MaxFade frames of the interleaved samples, or of all if there are fewer. The copy
// is for FadeOut after a later gap. It overwrites the memory of old, which may be nil.
func Tail(old, samples []float32, channels int) []float32 {
	return append(old[:0], samples[max(len(samples)-MaxFade*channels, 0):]...)
}

// GapChunk is the number of concealed frames returned at a time.
const GapChunk = 3840
