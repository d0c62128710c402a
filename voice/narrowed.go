package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/panning"
	"voicepool/pcm"
)

// narrows reports whether the spatial position narrows the stereo image of the voice. This is so if the spread is below
// 1 and the sound has two different channels.
func (v *Voice) narrows() bool {
	return v.space != nil && v.space.Spread < 1 && v.panLaw() != panning.Mono
}

// narrowPiece is the number of frames downmixed at a time.
const narrowPiece = 256

// runNarrowed adds at most n frames of the present segment (a stretch with linear gains) to dst, with the stereo image
// narrowed by the spatial position, and advances the voice. dst must not be nil. at is the number of frames between the
// start of the segment and dst. The result is the number of frames advanced. It is less than n if the voice ends, if a
// stream runs out of decoded frames, or if a change of the remaining loop rounds ends the segment. The samples are read
// at unit gain first, because each output side needs both channels.
func (v *Voice) runNarrowed(dst []pcm.Frame, n int64, at int) (done int64) {
	ramp := v.ramp
	v.ramp = dsp.Ramp{Left: 1, Right: 1}
	own, other := v.space.WidthGains()
	for done < n {
		var piece [narrowPiece]pcm.Frame
		g, part := ramp, min(n-done, narrowPiece)
		g.Start = at + int(done)
		got := v.run(piece[:part], part, g.Start)
		g.AddNarrowed(dst[done:], piece[:got], own, other)
		if done += got; got == 0 {
			break
		}
	}
	v.ramp = ramp
	return done
}
