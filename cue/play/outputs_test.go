package play_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/loudness"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

const fourOutputs = 4

// wideSheet is a random sheet with four outputs. Each line belongs to one output.
type wideSheet struct {
	outputs []string    // the values after their names
	masters []string    // the head of a sheet with only this output
	buses   [][2]string // by bus: its line with and without outputs
	cues    []string    // ROOT is replaced by the master bus of the output
	of      [2][]int    // output index by bus and by cue
	master  string
	length  string
}

// newWideSheet returns a random sheet with four outputs.
func newWideSheet(seed uint64) *wideSheet {
	r := rand.New(rand.NewPCG(seed, 50))
	s := &wideSheet{master: fmt.Sprintf("limiter: %v, dc_guard: %v", r.IntN(3) > 0, r.IntN(2) == 0)}
	if r.IntN(2) == 0 {
		s.length = "length: 3.7s\n"
	}
	for k := range fourOutputs {
		gain := r.IntN(3) * -2
		s.outputs = append(s.outputs, fmt.Sprintf("{channels: %d-%d, gain: %d}", 2*k+1, 2*k+2, gain))
		s.masters = append(s.masters, fmt.Sprintf("gain: %d", gain))
		a, b := fmt.Sprintf("a%d", k), fmt.Sprintf("b%d", k)
		own := fmt.Sprintf("gain: %d, pan: %.1f", r.IntN(6)-4, r.Float64()-0.5)
		route := []string{"output", "parent"}[r.IntN(2)]
		s.bus(k, fmt.Sprintf("  %s: {%s: out%d, %s}\n", a, route, k, own), fmt.Sprintf("  %s: {%s}\n", a, own))
		below := fmt.Sprintf("  %s: {parent: %s, pitch: %d}\n", b, a, r.IntN(3)-1)
		if k%2 == 1 {
			duck := fmt.Sprintf("duck: {when: %s, by: 9, attack: 10ms, release: 200ms}", a)
			s.bus(k, fmt.Sprintf("  %s: {output: out%d, %s}\n", b, k, duck), fmt.Sprintf("  %s: {%s}\n", b, duck))
		} else {
			s.bus(k, below, below)
		}
	}
	names := []string{"step1", "coin", "laser", "hit", "bell", "wind", "theme", "engine", "zap", "drip"}
	for i := range 44 {
		k := i % fourOutputs
		bus := []string{"ROOT", fmt.Sprintf("a%d", k), fmt.Sprintf("b%d", k)}[r.IntN(3)]
		id, at := fmt.Sprintf("v%d_%d", k, r.IntN(3)), r.IntN(3000)
		if i < 3*fourOutputs { // each id is played
			id = fmt.Sprintf("v%d_%d", k, i/fourOutputs)
		}
		line := fmt.Sprintf("at: %dms, play: %s, id: %s, bus: %s, gain: %d", at, names[r.IntN(len(names))], id, bus, -3-r.IntN(12))
		switch kind := r.IntN(10); {
		case i < 3*fourOutputs || kind < 4:
			if kind%2 == 0 {
				line += fmt.Sprintf(", every: [40ms, 300ms], times: %d, chance: 0.7", 1+r.IntN(8))
			}
			if r.IntN(3) == 0 {
				line += fmt.Sprintf(", pitch: %d", r.IntN(9)-4)
			}
			line += fmt.Sprintf(", for: %dms", 100+r.IntN(1500))
			if r.IntN(3) == 0 {
				line += ", loop: true"
			}
		case kind == 4:
			line = fmt.Sprintf("at: %dms, stop: %s, over: %dms", at, id, r.IntN(2)*150)
		case kind == 5:
			line = fmt.Sprintf("at: %dms, fade: %s, to: %d, over: %dms", at, bus, -r.IntN(20), r.IntN(900))
		case kind == 6:
			line = fmt.Sprintf("at: %dms, set: %s, mute: %v", at, bus, r.IntN(3) == 0)
		case kind == 7:
			line = fmt.Sprintf("at: %dms, set: %s, pan: %.1f, gain: -2, over: 100ms", at, id, r.Float64())
		default:
			line = fmt.Sprintf("at: %dms, pause: a%d}\n  - {at: %dms, resume: a%d", at, k, at+90, k)
			s.cues, s.of[1] = append(s.cues, "  - {at: 0s, voices: 200}\n"), append(s.of[1], k)
		}
		if n := strings.Count(line, "\n"); n > 0 { // two cues, so the position of the next increases by one
			s.cues[len(s.cues)-1] = strings.Split("  - {"+line+"}", "\n")[0] + "\n"
			line = strings.Split(line, "- {")[1]
		}
		s.cues, s.of[1] = append(s.cues, "  - {"+line+"}\n"), append(s.of[1], k)
	}
	return s
}

// bus adds a bus of output k. wide is its text in the sheet with all outputs, alone its text in the sheet of that
// output.
func (s *wideSheet) bus(k int, wide, alone string) {
	s.buses, s.of[0] = append(s.buses, [2]string{wide, alone}), append(s.of[0], k)
}

// text returns the sheet, or a plain sheet for one output. There the cues of other outputs have no effect but
// remain, because random choices depend on the positions of cues.
func (s *wideSheet) text(only int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "voices: 200\nseed: 3\n%s", s.length)
	if only < 0 {
		fmt.Fprintf(&b, "master: {%s}\noutputs:\n", s.master)
		for k, o := range s.outputs {
			fmt.Fprintf(&b, "  out%d: %s\n", k, o)
		}
	} else {
		fmt.Fprintf(&b, "master: {%s, %s}\n", s.master, s.masters[only])
	}
	b.WriteString("buses:\n")
	for i, bus := range s.buses {
		if only < 0 {
			b.WriteString(bus[0])
		} else if s.of[0][i] == only {
			b.WriteString(bus[1])
		}
	}
	b.WriteString("cues:\n")
	for i, c := range s.cues {
		switch k := s.of[1][i]; {
		case only < 0:
			b.WriteString(strings.ReplaceAll(c, "ROOT", fmt.Sprintf("out%d", k)))
		case k == only:
			b.WriteString(strings.ReplaceAll(c, "ROOT", "master"))
		default:
			b.WriteString("  - {at: 0s, voices: 200}\n")
		}
	}
	return b.String()
}

// playerOfText creates a player of a sheet with embedded sounds.
func playerOfText(t testing.TB, lib *library.Library, text string, o play.Options) *play.Player {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, err := play.NewPlayer(t.Context(), s, lib, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOutputsAlone renders a sheet with four outputs and enough voices. Each output must equal, bit for bit,
// the render of a plain sheet with the buses of that output, and so must its row in the report.
func TestOutputsAlone(t *testing.T) {
	lib := library.NewLibrary(library.Options{Rate: 48000})
	for seed := range rounds(2, 12) {
		s := newWideSheet(seed)
		p := playerOfText(t, lib, s.text(-1), play.Options{})
		if p.Outputs() != fourOutputs {
			t.Fatalf("%d outputs", p.Outputs())
		}
		all := readAll(t, p, fourOutputs*int(300+seed))
		r := p.Report()
		if int64(len(all)) != fourOutputs*r.Frames || r.Totals.Stolen > 0 || len(r.Outputs) != fourOutputs {
			t.Fatalf("seed %d: %d of %d frames, %+v, %v", seed, len(all), r.Frames, r.Totals, r.Outputs)
		}
		requested := int64(0)
		for k := range fourOutputs {
			one := playerOfText(t, lib, s.text(k), play.Options{})
			want := readAll(t, one, 512)
			report := one.Report()
			requested += report.Totals.Asked
			if len(want) > len(all)/fourOutputs || len(want) < 9600 {
				t.Fatalf("seed %d, output %d: %d frames of %d", seed, k, len(want), len(all)/fourOutputs)
			}
			for i := range len(all) / fourOutputs {
				var w pcm.Frame
				if i < len(want) {
					w = want[i]
				}
				if all[i*fourOutputs+k] != w {
					t.Fatalf("seed %d, output %d: frame %d is %v, want %v\n%s", seed, k, i, all[i*fourOutputs+k], w, s.text(-1))
				}
			}
			row := r.Outputs[k]
			if row.Name != fmt.Sprintf("out%d", k) || row.Channels != fmt.Sprintf("%d-%d", 2*k+1, 2*k+2) || row.Peak != report.Peak {
				t.Errorf("seed %d: the row is %+v, the peak alone is %v", seed, row, report.Peak)
			}
			// The plain sheet may end earlier. The silence after it counts for its loudness as well.
			meter, truly := loudness.NewMeter(48000, []float64{1, 1}), loudness.NewPeakMeter(48000, 2)
			samples := make([]float32, 0, 2*len(all)/fourOutputs)
			for _, f := range append(want, make([]pcm.Frame, len(all)/fourOutputs-len(want))...) {
				samples = append(samples, f[0], f[1])
			}
			meter.Write(samples)
			truly.Write(samples)
			if want := pcm.FromLinear(truly.TruePeak()); float64(row.Loudness) != float64(meter.Integrated()) || float64(row.TruePeak) != float64(want) {
				t.Errorf("seed %d: the row of output %d is %+v, want %v and a true peak of %v", seed, k, row, meter.Integrated(), want)
			}
		}
		if requested != r.Totals.Asked {
			t.Errorf("seed %d: %d starts, alone %d", seed, r.Totals.Asked, requested)
		}
		// Run and Render give the frames of Read. The downmix is their sum.
		if !slices.Equal(wideLive(t, playerOfText(t, lib, s.text(-1), play.Options{}), len(all)), all) {
			t.Errorf("seed %d: what Render gives differs", seed)
		}
	}
}

// wideLive plays with Run and Render and returns the first n frames after the latency.
func wideLive(t *testing.T, p *play.Player, n int) (out []pcm.Frame) {
	t.Helper()
	const block = 480
	synctest.Test(t, func(t *testing.T) {
		if err := p.Prime(); err != nil {
			t.Fatal(err)
		}
		fed := make(chan error, 1)
		go func() { fed <- p.Run(t.Context()) }()
		dst := make([]pcm.Frame, block*p.Outputs())
		for {
			select {
			case err := <-fed:
				if err != nil {
					t.Errorf("Run gave %v", err)
				}
				return
			case <-time.After(pcm.Duration(block, 48000)):
			}
			p.Render(dst)
			out = append(out, dst...)
		}
	})
	out = append(out, make([]pcm.Frame, n)...)
	return out[int(p.Mixer().LatencyFrames())*p.Outputs():][:n]
}

// TestFoldedSheet checks that a downmixed sheet has one output, with the same decisions as all outputs
// together.
func TestFoldedSheet(t *testing.T) {
	lib := library.NewLibrary(library.Options{Rate: 48000})
	for seed := range rounds(1, 3) {
		text := strings.NewReplacer("voices: 200", "voices: 4", "limiter: true", "limiter: false", "dc_guard: true", "dc_guard: false").Replace(newWideSheet(seed).text(-1))
		apart := playerOfText(t, lib, text, play.Options{Events: true})
		all := readAll(t, apart, 4000)
		s, err := cue.Parse("sheet.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s.Downmix = true
		p, err := play.NewPlayer(t.Context(), s, lib, play.Options{Events: true})
		if err != nil {
			t.Fatal(err)
		}
		one := readAll(t, p, 1000)
		if p.Outputs() != 1 || len(one) != len(all)/fourOutputs || p.Report().Outputs != nil {
			t.Fatalf("seed %d: %d outputs, %d frames, want %d", seed, p.Outputs(), len(one), len(all)/fourOutputs)
		}
		for i, f := range one {
			for c := range f {
				sum := all[i*4][c] + all[i*4+1][c] + all[i*4+2][c] + all[i*4+3][c]
				if d := f[c] - sum; d > 1e-5 || d < -1e-5 {
					t.Fatalf("seed %d: frame %d is %v, want %v", seed, i, f[c], sum)
				}
			}
		}
		a, b := apart.Report(), p.Report()
		if a.Totals != b.Totals || a.Totals.Stolen < 5 {
			t.Errorf("seed %d: %+v, folded %+v", seed, a.Totals, b.Totals)
		}
	}
}

// TestOutputsBeginInTheMiddle checks a beginning in the middle with several outputs.
func TestOutputsBeginInTheMiddle(t *testing.T) {
	lib := library.NewLibrary(library.Options{Rate: 48000})
	text := strings.ReplaceAll(newWideSheet(5).text(-1), "dc_guard: true", "dc_guard: false")
	all := readAll(t, playerOfText(t, lib, text, play.Options{}), 4000)
	from := rules.FrameTime(110400, 48000)
	tail := readAll(t, playerOfText(t, lib, text, play.Options{From: from}), 400)
	if want := all[from.Frames(48000)*fourOutputs:]; !slices.Equal(tail, want) {
		t.Errorf("%d frames, want %d, or others", len(tail), len(want))
	}
}

// TestOutputsConfig checks the mixer configuration of outputs.
func TestOutputsConfig(t *testing.T) {
	s := parse(t, "outputs: {main: {channels: 1-2, gain: -3}, radio: 5-6, foyer: {channels: 3-4, gain: 2}}\n"+
		"buses: {a: {output: radio}, b: {parent: a}, c: {parent: foyer, output: foyer}, d: {parent: main}}\ncues: []\n")
	c := s.Config()
	want := []mixer.Output{{Name: "main", Channel: 1}, {Name: "radio", Channel: 5}, {Name: "foyer", Channel: 3, Gain: 2}}
	if !reflect.DeepEqual(c.Outputs, want) || c.MasterGain != -3 {
		t.Errorf("%+v, gain %v", c.Outputs, c.MasterGain)
	}
	parents := s.Parents()
	if parents["a"] != "radio" || parents["b"] != "a" || parents["c"] != "foyer" || parents["radio"] != "" {
		t.Errorf("%v", parents)
	}
}

// TestOutputsDoNotAllocate checks Render, which measures each output.
func TestOutputsDoNotAllocate(t *testing.T) {
	lib := library.NewLibrary(library.Options{Rate: 48000})
	p := playerOfText(t, lib, "outputs: {a: 1-2, b: 3-4, c: 5-6, d: 7-8}\ncues: [{at: 0s, play: theme, bus: d}, {at: 10ms, play: bell}]\n", play.Options{})
	defer p.Close()
	if err := p.Prime(); err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 100*fourOutputs+1)
	if n := testing.AllocsPerRun(40, func() {
		block[len(block)-1] = pcm.Frame{1, 1}
		p.Render(block)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if left, right := p.Levels(); left == 0 || right == 0 || block[len(block)-1] != (pcm.Frame{}) {
		t.Errorf("levels of %v and %v, and %v where no whole frame is", left, right, block[len(block)-1])
	}
}
