package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Quality is how a voice reads between the samples of its sound.
type Quality uint8

const (
	Cubic  Quality = iota // a cubic through four samples
	Linear                // a straight line between two
)

// Options is how a voice starts; the zero value changes nothing. All frames are
// counts at the sound's rate.
type Options struct {
	BaseGain  pcm.Decibels  // a part that stays
	Gain      pcm.Decibels  // the part that moves
	Pan       float64       // -1..+1
	BasePitch pcm.Semitones // a part that stays, speed included
	Pitch     pcm.Semitones // a part that moves
	Speed     float64       // a ratio that moves; 0 means 1
	From      int64         // where in the sound it starts
	FadeIn    int64         // frames of raised cosine at the start
	Loop      bool
	Quality   Quality
}

// never is a frame that does not come.
const never = math.MaxInt64

// maxOctaves bounds the speed of a voice to 2^8 times the sound's, so that a
// step stays far from the limits of 32.32 fixed point.
const maxOctaves = 8

// Voice is one playing of a sound. It is a value: a copy goes on by itself,
// which is how a stolen voice gets its tail. The zero Voice has ended.
type Voice struct {
	sound *Sound
	pos   int64 // 32.32 frames of the sound
	step  int64

	baseGain  float64
	basePitch float64
	gain      Move // decibels
	pan       Move
	pitch     Move // semitones
	speed     Move // semitones as well
	shared    Move // semitones that the voice's bus brings
	in, out   curve
	back      curve // the way back from a pause

	ramp     dsp.Ramp // of the segment [segStart, segEnd)
	segStart int64
	segEnd   int64

	loop    bool
	quality Quality
}

// Start makes v a playing of s that sounds from frame on.
func (v *Voice) Start(s *Sound, o Options, frame int64) {
	speed := o.Speed
	if speed == 0 {
		speed = 1
	}
	*v = Voice{
		sound: s, pos: o.From << 32, loop: o.Loop, quality: o.Quality,
		baseGain: float64(o.BaseGain), basePitch: float64(o.BasePitch),
		gain: Rest(float64(o.Gain)), pan: Rest(o.Pan),
		pitch: Rest(float64(o.Pitch)), speed: Rest(float64(pcm.FromRatio(speed))),
		in: fadeIn(frame, o.FadeIn),
	}
	v.wrap()
	v.Replan(frame)
}

// Sound returns what is played.
func (v *Voice) Sound() *Sound { return v.sound }

// Looping reports whether it repeats.
func (v *Voice) Looping() bool { return v.loop && v.sound.loop[1] > v.sound.loop[0] }

// Position returns the frame of the sound that is next.
func (v *Voice) Position() int64 {
	p := v.pos >> 32
	if v.Looping() && p >= v.sound.loop[1] {
		p = v.sound.loop[0] + (p-v.sound.loop[1])%(v.sound.loop[1]-v.sound.loop[0])
	}
	return p
}

// Index returns the best average loudness from the position on, at unit gain:
// a K-weighted mean square.
func (v *Voice) Index() float64 { return v.sound.envelope.At(v.Position(), v.Looping()) }

// SetGain moves the gain to to, straight in decibels.
func (v *Voice) SetGain(frame int64, to pcm.Decibels, frames int64) {
	v.gain.TurnGain(frame, to, frames)
	v.Replan(frame)
}

// SetPan moves the pan to to, -1..+1.
func (v *Voice) SetPan(frame int64, to float64, frames int64) {
	v.pan.Turn(frame, to, frames)
	v.Replan(frame)
}

// SetPitch moves the pitch to to, straight in semitones.
func (v *Voice) SetPitch(frame int64, to pcm.Semitones, frames int64) {
	v.pitch.Turn(frame, float64(to), frames)
	v.Replan(frame)
}

// SetSpeed moves the speed to the ratio to (above 0), straight in semitones.
func (v *Voice) SetSpeed(frame int64, to float64, frames int64) {
	v.speed.Turn(frame, float64(pcm.FromRatio(to)), frames)
	v.Replan(frame)
}

// SetShared gives the voice the pitch of its bus, moving or not.
func (v *Voice) SetShared(frame int64, pitch Move) {
	v.shared = pitch
	v.Replan(frame)
}

// Return makes the voice rise from silence after a pause. Its other moves go on.
func (v *Voice) Return(frame, frames int64) {
	v.back = fadeIn(frame, frames)
	v.Replan(frame)
}

// FadeOut makes the voice end, silent, at frame+frames, unless it ends before.
func (v *Voice) FadeOut(frame, frames int64) {
	if v.out.out && v.out.end() <= frame+frames {
		return
	}
	level := 1.0
	if v.out.out {
		level = v.out.at(frame)
	}
	v.out = curve{start: frame, frames: frames, out: true, level: level}
	v.Replan(frame)
}

// FadingOut reports whether a fade out is under way.
func (v *Voice) FadingOut() bool { return v.out.out }

// Gains returns the left and right factors at a frame.
func (v *Voice) Gains(frame int64) (left, right float64) {
	g := float64(v.lasting(frame) * v.gain.Gain(frame))
	g = float64(g * float64(v.in.at(frame)*v.back.at(frame)))
	left, right = v.law()(v.pan.At(frame))
	return float64(g * left), float64(g * right)
}

// Reach returns the left and right factors that count for how loud the voice is
// going to be: of each move the larger of present and target, but a fade out as
// it is.
func (v *Voice) Reach(frame int64) (left, right float64) {
	g := float64(v.lasting(frame) * max(v.gain.Gain(frame), pcm.Decibels(v.gain.To).Gain()))
	left, right = Wider(v.law(), &v.pan, frame)
	return float64(g * left), float64(g * right)
}

// lasting returns the factor of what no move can make larger.
func (v *Voice) lasting(frame int64) float64 {
	g := pcm.Decibels(v.baseGain).Gain()
	if v.out.out {
		g = float64(g * v.out.at(frame))
	}
	return g
}

// law returns how a pan acts on the voice.
func (v *Voice) law() func(float64) (left, right float64) {
	if v.sound.channels == 2 {
		return Balance
	}
	return Pan
}

// Still reports whether, at frame, nothing of the voice moves but its position.
func (v *Voice) Still(frame int64) bool { return frame >= v.segStart && v.segEnd == never }

// Replan begins a new segment at frame: a stretch in which the gains are
// straight lines and the step is constant. Segments end on a grid of frames, or
// where a move ends, so they do not depend on blocks.
func (v *Voice) Replan(frame int64) {
	end := int64(never)
	g := int64(64)
	for _, m := range [...]*Move{&v.gain, &v.pan, &v.pitch, &v.speed, &v.shared} {
		if e := m.End(); e > frame {
			end, g = min(end, e), min(g, m.Grid())
		}
	}
	for _, c := range [...]*curve{&v.in, &v.out, &v.back} {
		if e := c.end(); e > frame {
			end, g = min(end, e), min(g, grid(c.frames))
		}
	}
	left, right := v.Gains(frame)
	v.segStart, v.segEnd = frame, end
	v.ramp = dsp.Ramp{Left: float32(left), Right: float32(right)}
	middle := frame
	if end != never {
		v.segEnd = min(end, (frame/g+1)*g)
		n := v.segEnd - frame
		toLeft, toRight := v.Gains(v.segEnd)
		v.ramp.LeftSlope = float32((toLeft - left) / float64(n))
		v.ramp.RightSlope = float32((toRight - right) / float64(n))
		middle += n / 2
	}
	v.step = v.stepAt(middle)
}

// stepAt returns the step of a frame, 32.32.
func (v *Voice) stepAt(frame int64) int64 {
	semitones := v.basePitch + v.pitch.At(frame) + v.speed.At(frame) + v.shared.At(frame)
	octaves := min(max(semitones/12, -maxOctaves), maxOctaves)
	return int64(math.Floor(float64(pcm.Exp2(octaves)*dsp.One) + 0.5))
}

// FadeEnd returns the frame from which a fade out is silent.
func (v *Voice) FadeEnd() int64 { return v.out.end() }

// Delay moves a start that has not sounded yet to frame, as if it had been
// asked for then.
func (v *Voice) Delay(frame int64) {
	v.in.start = frame
	v.Replan(frame)
}
