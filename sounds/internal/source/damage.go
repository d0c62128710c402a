package source

// Damage is a place of a file that could not be decoded.
type Damage struct {
	Frame  int64 // where it begins, in frames that Next returns
	Frames int64 // how many frames were made up for it; 0: none
	Err    error // the fault there
}

// MaxDamages bounds how many places of a file are listed. The last one covers the rest.
const MaxDamages = 100

// Conceal notes that frames were made up from a frame on. Places that touch become one.
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

// TakeDamages returns the places that were noted since the last call.
func (h *Head) TakeDamages() []Damage {
	list := h.Damages
	h.Damages = nil
	return list
}

// Gap returns how many frames are made up where some are missing behind frame at, of which the file
// has so many bytes: all of them, or none where a small file announces a long gap.
func (h *Head) Gap(missing, at, bytes int64) int64 {
	if most := 10*int64(h.Rate) + 64*bytes; missing <= 0 || missing > most || at > most-missing {
		return 0
	}
	return missing
}

// MaxFade is how many frames a fade at either end of a gap has.
const MaxFade = 256

// FadeOut sets the beginning of gap to the mirror image of tail, which comes before it, fading out.
func FadeOut(gap, tail []float32, channels int) {
	frames := min(len(gap)/channels, len(tail)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[i*channels+ch] = tail[len(tail)-(i+1)*channels+ch] * w
		}
	}
}

// FadeIn adds to the end of gap the mirror image of head, which follows it, fading in.
func FadeIn(gap, head []float32, channels int) {
	frames := min(len(gap)/channels, len(head)/channels, MaxFade)
	for i := range frames {
		w := 1 - (float32(i)+0.5)/float32(frames)
		for ch := range channels {
			gap[len(gap)-(i+1)*channels+ch] += float32(head[i*channels+ch] * w)
		}
	}
}

// Tail returns as much of the end of samples as FadeOut needs, in the memory of old.
func Tail(old, samples []float32, channels int) []float32 {
	return append(old[:0], samples[max(len(samples)-MaxFade*channels, 0):]...)
}

// GapPiece is how many frames of a gap are returned at a time.
const GapPiece = 3840
