package voice_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// newSound returns the sound of s, at 48 kHz if s has no rate. An error ends the test.
func newSound(t testing.TB, s sounds.Samples) *sounds.Sound {
	t.Helper()
	if s.Rate == 0 {
		s.Rate = 48000
	}
	out, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tone returns a smooth sound, to suit cubic interpolation: sines of 40 frames and 55 frames on left and
// right.
func tone(t testing.TB, channels, frames int, loop [2]int64) *sounds.Sound {
	data := make([]float32, 0, frames*channels)
	for i := range frames {
		for c := range channels {
			data = append(data, float32(0.5*math.Sin(2*math.Pi*float64(i)/float64(40+15*c))))
		}
	}
	return newSound(t, sounds.Samples{Channels: channels, Data: data, Loop: loop})
}

// mix mixes n frames of v from frame on and returns the frames before the voice's end.
func mix(v *voice.Voice, n int, frame int64) []pcm.Frame {
	dst := make([]pcm.Frame, n)
	return dst[:v.Mix(dst, frame)]
}

// TestFreshStartIsExact checks that a start without options plays the samples bit for bit and then ends.
func TestFreshStartIsExact(t *testing.T) {
	s := newSound(t, sounds.Samples{Channels: 2, Data: []float32{1, 2, 3, 4, 5, 6}})
	var v voice.Voice
	v.Start(s, voice.Options{}, 100)
	got := mix(&v, 10, 100)
	want := []pcm.Frame{{1, 2}, {3, 4}, {5, 6}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
	if !v.Ended(103) {
		t.Error("it is not over after its last frame")
	}
}

// TestPanLaws compares the first frame of mono and stereo sounds with the factors of the gain and the pan.
func TestPanLaws(t *testing.T) {
	mono := newSound(t, sounds.Samples{Channels: 1, Data: []float32{1, 1}})
	stereo := newSound(t, sounds.Samples{Channels: 2, Data: []float32{1, 1, 1, 1}})
	h := math.Sqrt2 / 2
	for _, c := range []struct {
		sound       *sounds.Sound
		gain        pcm.Decibels
		base        pcm.Decibels
		pan         float64
		left, right float64
	}{
		{sound: mono, left: h, right: h},
		{sound: mono, pan: -1, left: 1},
		{sound: mono, pan: 1, right: 1},
		{sound: mono, pan: 0.5, left: math.Cos(1.5 * math.Pi / 4), right: math.Sin(1.5 * math.Pi / 4)},
		{sound: mono, gain: -20, pan: -1, left: 0.1},
		{sound: mono, gain: -10, base: -10, pan: -1, left: 0.1},
		{sound: mono, gain: 20, pan: -1, left: 10},
		{sound: mono, gain: -80},
		{sound: mono, base: -90},
		{sound: stereo, left: 1, right: 1},
		{sound: stereo, pan: -1, left: 1},
		{sound: stereo, pan: 1, right: 1},
		{sound: stereo, pan: 0.5, left: h, right: 1},
		{sound: stereo, gain: -20, pan: -0.5, left: 0.1, right: 0.1 * h},
	} {
		var v voice.Voice
		v.Start(c.sound, voice.Options{Gain: c.gain, BaseGain: c.base, Pan: c.pan}, 0)
		got := mix(&v, 1, 0)[0]
		if math.Abs(float64(got[0])-c.left) > 1e-7*max(1, c.left) || math.Abs(float64(got[1])-c.right) > 1e-7*max(1, c.right) {
			t.Errorf("%d channels, gain %v+%v, pan %v: %v, want %v, %v", c.sound.Channels(), c.gain, c.base, c.pan, got, c.left, c.right)
		}
	}
}

// model computes frame t of a voice by definition, in float64, with each curve evaluated at every frame.
type model struct {
	from, to       float64 // decibels
	panFrom, panTo float64
	semiFrom, semi float64
	move           float64 // frames of all moves, from frame 0
	fadeIn         float64
	outAt, out     float64 // a fade-out; out 0 means no fade-out
}

// line returns the value at time t of a line that runs from a at time 0 to b at time n and is constant afterwards.
func line(a, b, t, n float64) float64 {
	if t >= n {
		return b
	}
	return a + (b-a)*t/n
}

// gains returns the left and right factors at frame t, for a sound with one or two channels.
func (m *model) gains(t float64, channels int) (left, right float64) {
	g := 0.0
	if db := line(m.from, m.to, t, m.move); db > -80 {
		g = math.Pow(10, db/20)
	}
	if t < m.fadeIn {
		g *= 0.5 - 0.5*math.Cos(math.Pi*t/m.fadeIn)
	}
	if m.out > 0 && t >= m.outAt {
		g *= 0.5 + 0.5*math.Cos(math.Pi*min((t-m.outAt)/m.out, 1))
	}
	p := line(m.panFrom, m.panTo, t, m.move)
	if channels == 1 {
		return g * math.Cos((p+1)*math.Pi/4), g * math.Sin((p+1)*math.Pi/4)
	}
	return g * math.Cos(max(p, 0)*math.Pi/2), g * math.Cos(min(p, 0)*math.Pi/2)
}

// TestAgainstModel moves all properties at once and compares with the model, whose samples are the exact
// sines.
func TestAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var all [2]*sounds.Sound
	for i := range all {
		all[i] = tone(t, 1+i, 44000, [2]int64{0, 440 * 50})
	}
	for n := range 60 {
		channels, s := 1+n%2, all[n%2]
		m := model{
			from: r.Float64()*20 - 20, to: r.Float64()*20 - 20, panFrom: r.Float64()*2 - 1, panTo: r.Float64()*2 - 1,
			semiFrom: r.Float64()*8 - 4, semi: r.Float64()*8 - 4, move: float64(240 + r.IntN(3000)),
			fadeIn: float64(r.IntN(2) * (240 + r.IntN(2000))),
		}
		if n%3 == 0 {
			m.outAt, m.out = 1000, float64(480+r.IntN(2000))
		}
		if n%10 == 9 {
			m.to = -80
		}
		var v voice.Voice
		v.Start(s, voice.Options{Gain: pcm.Decibels(m.from), Pan: m.panFrom, Pitch: pcm.Semitones(m.semiFrom), FadeIn: int64(m.fadeIn), Loop: n%2 == 0, From: 100}, 0)
		v.SetGain(0, pcm.Decibels(m.to), int64(m.move), sounds.InDecibels)
		v.SetPan(0, m.panTo, int64(m.move))
		v.SetPitch(0, pcm.Semitones(m.semi), int64(m.move))
		got := mix(&v, 1000, 0)
		if m.out > 0 {
			v.FadeOut(1000, int64(m.out), sounds.Natural)
		}
		got = append(got, mix(&v, 5000, 1000)...)
		want := 6000
		if m.out > 0 {
			want = 1000 + int(m.out)
		}
		if len(got) != want {
			t.Fatalf("voice %d gives %d frames, want %d", n, len(got), want)
		}
		pos := 100.0
		for i, f := range got {
			left, right := m.gains(float64(i), channels)
			wl := left * 0.5 * math.Sin(2*math.Pi*pos/40)
			wr := right * 0.5 * math.Sin(2*math.Pi*pos/float64(40+15*(channels-1)))
			if d := max(math.Abs(wl-float64(f[0])), math.Abs(wr-float64(f[1]))); d > 0.006 {
				t.Fatalf("voice %d, frame %d is %v, the model says %v, %v\n%+v", n, i, f, wl, wr, m)
			}
			pos += math.Exp2(line(m.semiFrom, m.semi, float64(i)+0.5, m.move) / 12)
		}
	}
}

// TestAnyBlocks checks that moving, looping, pitched voices give the same bits in one block and in many.
func TestAnyBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 200 {
		loop := [2]int64{int64(r.IntN(300)), 0}
		loop[1] = loop[0] + 1 + int64(r.IntN(200))
		s := tone(t, 1+n%2, 600, loop)
		o := voice.Options{
			Gain: pcm.Decibels(r.Float64()*10 - 5), Pitch: pcm.Semitones(r.Float64()*60 - 30), Loop: n%3 > 0, From: int64(r.IntN(600)),
			FadeIn: int64(r.IntN(300)), Quality: sounds.Quality(n / 2 % 2),
		}
		if n%5 == 0 {
			o.Pitch = 0
		}
		start := int64(r.IntN(1000))
		var whole, parts voice.Voice
		whole.Start(s, o, start)
		whole.SetPan(start, 0.7, 333)
		parts = whole
		want := mix(&whole, 3000, start)
		var got []pcm.Frame
		for len(got) < 3000 {
			k := min(1+r.IntN(200), 3000-len(got))
			part := mix(&parts, k, start+int64(len(got)))
			got = append(got, part...)
			if len(part) < k {
				break
			}
		}
		if len(got) != len(want) {
			t.Fatalf("voice %d: %d frames in parts, %d at once", n, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("voice %d: frame %d is %v in parts, %v at once", n, i, got[i], want[i])
			}
		}
	}
}

// TestLoopSeam compares a loop with the same sound unrolled, at many pitches and loop lengths. Bits are equal
// except at the ends of the unrolled sound.
func TestLoopSeam(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range longtest.Amount(100, 300) {
		c := 1 + n%2
		frames := 30 + r.IntN(300)
		data := make([]float32, frames*c)
		for i := range data {
			data[i] = float32(r.Float64() - 0.5)
		}
		from := r.IntN(frames - 1)
		to := from + 1 + r.IntN(frames-from)
		if to > frames {
			to = frames
		}
		written := append([]float32(nil), data[:to*c]...)
		for len(written) < 40000*c {
			written = append(written, data[from*c:to*c]...)
		}
		o := voice.Options{Pitch: pcm.Semitones(r.Float64()*50 - 30), Quality: sounds.Quality(n / 2 % 2)}
		if n%7 == 0 {
			o.Pitch = 0
		}
		var plain, looped voice.Voice
		plain.Start(newSound(t, sounds.Samples{Channels: c, Data: written}), o, 0)
		o.Loop = true
		looped.Start(newSound(t, sounds.Samples{Channels: c, Data: data, Loop: [2]int64{int64(from), int64(to)}}), o, 0)
		a, b := mix(&plain, 4000, 0), mix(&looped, 4000, 0)
		if len(b) != 4000 {
			t.Fatalf("loop %d ended after %d frames", n, len(b))
		}
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("loop %d, [%d, %d) of %d, %v: frame %d is %v looped, %v written out", n, from, to, frames, o.Pitch, i, b[i], a[i])
			}
		}
	}
}

// TestAnHour checks that a position is exact within a thousandth of a frame after an hour at a speed of
// 1.0001.
func TestAnHour(t *testing.T) {
	const rate = 8000
	s := tone(t, 1, rate, [2]int64{})
	var v voice.Voice
	v.Start(s, voice.Options{Speed: 1.0001, Loop: true}, 0)
	const frames = 3600 * rate
	dst := make([]pcm.Frame, rate)
	for at := int64(0); at < frames; at += int64(len(dst)) {
		v.Mix(dst, at)
	}
	want := int64(frames/10000*10001) % rate
	if got := v.Position(); got != want && got != want-1 {
		t.Errorf("it stands at frame %d of the loop, want %d", got, want)
	}
}

// TestFadeOutNeverGrowsLonger checks that a second FadeOut can shorten the first but not extend it, and makes no step.
func TestFadeOutNeverGrowsLonger(t *testing.T) {
	var v voice.Voice
	v.Start(tone(t, 1, 10000, [2]int64{}), voice.Options{}, 0)
	v.FadeOut(0, 100, sounds.Natural)
	v.FadeOut(10, 5000, sounds.Natural)
	if got := len(mix(&v, 1000, 0)); got != 100 {
		t.Errorf("it ends at %d, want 100", got)
	}
	v.Start(tone(t, 1, 10000, [2]int64{}), voice.Options{}, 0)
	v.FadeOut(0, 1000, sounds.Natural)
	mix(&v, 500, 0)
	before, _ := v.Gains(500)
	v.FadeOut(500, 100, sounds.Natural)
	after, _ := v.Gains(500)
	if before != after {
		t.Errorf("a second fade out jumps from %v to %v", before, after)
	}
	if got := len(mix(&v, 1000, 500)); got != 100 {
		t.Errorf("it ends %d frames later, want 100", got)
	}
}

// TestExtremes checks that voices at extreme pitches and positions give finite output, and that the zero Voice has
// ended.
func TestExtremes(t *testing.T) {
	s := tone(t, 2, 1000, [2]int64{10, 11})
	for _, o := range []voice.Options{
		{Pitch: 48, Speed: 16, BasePitch: 48}, {Pitch: 48, Speed: 16, BasePitch: 48, Loop: true},
		{Pitch: -48, Speed: 1. / 16, BasePitch: -48}, {From: 1000}, {From: 1000, Loop: true}, {From: 999, Pitch: 48},
	} {
		for _, q := range []sounds.Quality{sounds.Cubic, sounds.Linear} {
			var v voice.Voice
			o.Quality = q
			v.Start(s, o, 0)
			for _, f := range mix(&v, 5000, 0) {
				if f[0] != f[0] || math.Abs(float64(f[0])) > 2 {
					t.Fatalf("%+v gives %v", o, f)
				}
			}
		}
	}
	var none voice.Voice
	if got := none.Mix(make([]pcm.Frame, 3), 0); got != 0 || !none.Ended(0) {
		t.Errorf("the zero voice gives %d frames", got)
	}
}

// TestNoAllocation checks that starting, changing and mixing a voice does not allocate.
func TestNoAllocation(t *testing.T) {
	s := tone(t, 2, 48000, [2]int64{})
	dst := make([]pcm.Frame, 512)
	var v voice.Voice
	frame := int64(0)
	if n := testing.AllocsPerRun(100, func() {
		v.Start(s, voice.Options{Loop: true, FadeIn: 100, Speed: 1.1}, frame)
		v.SetGain(frame, -6, 700, sounds.InDecibels)
		v.Mix(dst, frame)
		frame += 512
		v.FadeOut(frame, 1000, sounds.Natural)
		v.Mix(dst, frame)
		frame += 512
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
