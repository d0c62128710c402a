package mixer

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/voice"
)

// masksOf returns the masks of the voice at its position, without its gain.
func masksOf(v *voice.Voice) [2]sounds.Masks {
	e, at, looped := v.Envelope()
	return e.MasksAt(at, looped)
}

// slowMask returns how much of a voice is heard beside others, by definition.
func slowMask(own *[2]sounds.Masks, power float64, masks []*[2]sounds.Masks, powers []float64) (score float64) {
	for h := range 2 {
		for b := range sounds.Bands {
			others := 0.0
			for i := range masks {
				others += powers[i] * float64(masks[i][h].Spread[b])
			}
			above := 4*float64(b) + 2
			f := 650 * math.Sinh((above+7*math.Asinh(80./650))/7)
			m := math.Pow(10, -(3+0.25*max(above-12, 0))/10)
			n := 8 * math.Pow(10, 0.4*3.64*math.Pow(f/1000, -0.8)/10)
			r := power * float64(own[h].Energy[b]) / (others*m + n)
			score += r / (1 + r)
		}
	}
	return score
}

// TestMaskAgainstDefinition compares the packed scores of all voices and the choice of a victim with the
// definition, on the grid.
func TestMaskAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	var all []*sounds.Sound
	for i := range 6 {
		c := &library.Clip{Name: "s", Rate: policyRate, Channels: 1 + i%2, Samples: make([]float32, 6000)}
		for j := range c.Samples {
			c.Samples[j] = float32(math.Sin(float64(j)*0.05*float64(1+i*i))*0.3 + r.Float64()*0.02)
		}
		s, err := library.Prepare(c, library.Options{Rate: policyRate, Masking: i != 5})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	m, err := New(Config{Rate: policyRate, Voices: 5, Virtual: 6, Overflow: StealMasked, NoLimiter: true})
	if err != nil {
		t.Fatal(err)
	}
	a := m.audio.(*audio)
	block := make([]pcm.Frame, 200)
	events := make([]Event, 64)
	taken := 0
	power := func(i int) float64 {
		left, right := a.mutable(i).voice.PeakGains(a.now, false)
		return left*left + right*right
	}
	for n := range 600 {
		m.Render(block[:1+r.IntN(99)])
		m.Events(events)
		if n%3 == 0 {
			m.Render(block[:a.hop-a.now%a.hop])
			m.Events(events)
			m.Render(nil)
		}
		// A start between two frames of the grid: changes were scored on the grid.
		var now [][2]sounds.Masks
		var own, others []*[2]sounds.Masks
		var powers []float64
		var index []int
		for i := a.voices.Next(0); i >= 0; i = a.voices.Next(i + 1) {
			now = append(now, masksOf(&a.mutable(i).voice))
			index = append(index, i)
		}
		for j := range now {
			own = append(own, &now[j])
			if index[j] < a.voices.Base() {
				others, powers = append(others, &now[j]), append(powers, power(index[j]))
			}
		}
		onGrid := a.now%a.hop == 0
		s := all[r.IntN(len(all))]
		o := Options{Gain: pcm.Decibels(-r.Float64() * 50), Pan: r.Float64()*2 - 1, Loop: r.IntN(2) == 0}
		var v voice.Voice
		v.Start(s, voice.Options{Gain: o.Gain, Pan: o.Pan, Loop: o.Loop}, a.now)
		left, right := v.PeakGains(a.now, false)
		came := masksOf(&v)
		full := a.voices.Len() == a.voices.Limit()
		least, second, victim := math.Inf(1), math.Inf(1), uint64(0)
		for j, i := range index {
			if i >= a.voices.Base() || !full {
				continue
			}
			var beside []*[2]sounds.Masks
			var loud []float64
			for k := range others {
				if others[k] != own[j] {
					beside, loud = append(beside, others[k]), append(loud, powers[k])
				}
			}
			beside, loud = append(beside, &came), append(loud, left*left+right*right)
			score := slowMask(own[j], power(i), beside, loud)
			if score < least {
				least, second, victim = score, least, a.mutable(i).number()
			} else {
				second = min(second, score)
			}
		}
		if _, err := m.Play(s, o); err != nil {
			t.Fatal(err)
		}
		m.Render(nil)
		for _, e := range events[:m.Events(events)] {
			if onGrid && e.Kind == EventVirtual && e.Reason == ReasonPoolFull && second > least*1.001 {
				if taken++; e.Voice != victim {
					t.Fatalf("at %d voice %d gives way, by definition %d", a.now, e.Voice, victim)
				}
			}
		}
	}
	if taken < 100 {
		t.Errorf("%d gave way on the grid: it proves too little", taken)
	}
}

func TestMaskedGoesWithVirtual(t *testing.T) {
	if _, err := New(Config{Overflow: StealMasked}); !errors.Is(err, ErrConfig) {
		t.Errorf("without virtual voices: %v", err)
	}
}

// TestMaskedTakesWhatIsHidden plays a loud tone, a tone next to it and a distant faint tone. The second
// is masked most, though it is not the quietest. When the loud tone ends, the second must be restored.
func TestMaskedTakesWhatIsHidden(t *testing.T) {
	tone := func(hz float64) *sounds.Sound {
		c := &library.Clip{Name: "tone", Rate: policyRate, Channels: 1, Samples: make([]float32, policyRate)}
		for i := range c.Samples {
			c.Samples[i] = float32(math.Sin(float64(i) * hz * 2 * math.Pi / policyRate))
		}
		s, err := library.Prepare(c, library.Options{Rate: policyRate, Masking: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	loud, beside, far := tone(600), tone(620), tone(2500)
	for policy, want := range map[Overflow]*sounds.Sound{StealQuietest: far, StealMasked: beside} {
		m, err := New(Config{Rate: policyRate, Voices: 3, Virtual: 2, Overflow: policy, NoLimiter: true})
		if err != nil {
			t.Fatal(err)
		}
		for s, gain := range map[*sounds.Sound]pcm.Decibels{loud: -6, beside: -22, far: -32} {
			if _, err := m.Play(s, Options{Gain: gain, Loop: true}); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Engine().At(1000).Resize(2); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 4000))
		events := make([]Event, 16)
		var gone []*sounds.Sound
		for _, e := range events[:m.Events(events)] {
			if e.Kind == EventVirtual {
				gone = append(gone, e.Sound)
			}
		}
		if len(gone) != 1 || gone[0] != want {
			t.Errorf("%v: %d gave way", policy, len(gone))
		}
		if policy == StealMasked {
			if err := m.Engine().At(Now).Set(TargetSound(loud), Change{Fields: FieldGain, Gain: -80}, 0); err != nil {
				t.Fatal(err)
			}
			m.Render(make([]pcm.Frame, 800))
			if n := m.Events(events); n != 2 || events[0].Sound != loud || events[0].Reason != ReasonExchanged || events[1].Sound != beside {
				t.Errorf("%+v", events[:n])
			}
		}
		m.Close()
	}
}
