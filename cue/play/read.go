package play

import (
	"io"
	"time"

	"voicepool/pcm"
)

// longSilence is the largest number of silent blocks that one call of Read mixes.
const longSilence = 1024

// Read renders the next frames of the show into dst and returns their number n. At the end it calls Close and returns 0
// and io.EOF. Before the end, n may be less than len(dst), or 0 without an error. In a long silence Read returns early,
// so that the caller can cancel the render. The length of dst does not affect the result.
//
// With several outputs, dst is interleaved, see Outputs. len(dst) must be a multiple of Outputs, and n is a multiple,
// too.
//
// Read does the work of the control side and of the audio side, without a clock. Use it instead of Run and Render.
//
// The latency of the mixer is removed: a cue at 0 sounds from the first frame on, unless the show begins at a later
// point. The render ends with the last voice, fade and tail, or at the sheet's length if that is earlier. Without a
// length a show may never end; see CheckRender.
//
// On any other error n is 0, and the player is not closed. The error is of the mixer or a broken stream, or wraps
// ErrStartPosition or ErrEndless.
func (p *Player) Read(dst []pcm.Frame) (n int, err error) {
	begin := time.Now()
	p.isRender = true
	n, err = p.renderer.read(p.output.completeFrames(dst))
	if p.renderer.seconds += time.Since(begin).Seconds(); err == io.EOF {
		p.Close()
	}
	return n, err
}

// read fills dst as Player.Read does.
func (r *renderer) read(dst []pcm.Frame) (n int, err error) {
	if reached, err := r.playToStart(int64(r.mixer.LatencyFrames())); !reached {
		return 0, err
	}
	if r.options.Events {
		r.reporter.lossMeter.start(r.rate, r.outputs, r.startFrame)
	}
	r.output.meter.measuresTruePeak = true
mixing:
	for blocks := 0; n < len(dst); {
		switch {
		case len(r.released) > 0:
			k := copy(dst[n:], r.released)
			r.released = r.released[k:]
			n += k
		case r.gap > 0:
			k := int(min(r.gap, int64((len(dst)-n)/r.outputs))) * r.outputs
			clear(dst[n : n+k])
			r.gap -= int64(k / r.outputs)
			n += k
		case len(r.ready) > 0:
			k := copy(dst[n:], r.ready)
			r.ready = r.ready[k:]
			n += k
		case r.ended && n == 0:
			return 0, io.EOF
		case r.ended || blocks == longSilence:
			break mixing
		default:
			blocks++
			if err := r.mixNext(len(dst) / r.outputs); err != nil {
				return 0, err
			}
		}
	}
	r.frames += int64(n / r.outputs)
	r.output.meter.measure(dst[:n])
	r.reporter.lossMeter.measure(dst[:n], r.outputs, r.reporter.events)
	return n, nil
}
