package record_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
	"voicepool/pcm"
)

// TestRecordTakesEveryKeyOfASound checks that a recording renders to the same frames for every key of a
// sound. The keys come from the schema.
func TestRecordTakesEveryKeyOfASound(t *testing.T) {
	m, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	libs := libraries{}
	i := slices.IndexFunc(m.Mappings, func(p *schematest.MappingPath) bool { return p.Path == ".sounds.*" })
	if i < 0 {
		t.Fatal("the schema has no sounds")
	}
	type x = schematest.Text
	start := func(at, more string) schematest.Map {
		cue := schematest.Map{{Key: "at", Value: x(at)}, {Key: "play", Value: x("coin")}}
		switch more {
		case "":
			return cue
		case "from": // after the end of the sound
			return cue.With("from", x("20s"))
		}
		return cue.With(more, x("true")).With("for", x("1200ms"))
	}
	tried, turn, least := 0, 0, 20
	if longtest.Enabled() {
		least = 60
	}
	for _, sh := range m.Mappings[i].Shapes {
		for _, k := range sh.Keys {
			for i, v := range k.Good {
				_, mapping := v.(schematest.Map)
				short := i == 0 || i%4 == turn%4 && (mapping || i < 3)
				if turn++; !short && !longtest.Enabled() || i >= 3 && !mapping {
					continue
				}
				file := sh.File(k.With.With(k.Name, v))
				for _, key := range []string{"list", "goes", "midi", "length"} {
					file = slices.DeleteFunc(slices.Clone(file), func(p schematest.Pair) bool { return p.Key == key })
				}
				file = file.With("cues", schematest.List{start("10ms", ""), start("30ms", "loop"), start("90ms", ""), start("1300ms", "from")})
				file = file.With("length", x("1500ms"))
				text := file.Flow()
				s, err := parsed(text)
				if err != nil || play.LoadSounds(t.Context(), s, libs.of(s.Rate), nil) != nil {
					continue
				}
				tried++
				recordAndReplay(t, k.Name, text, s, libs)
			}
		}
	}
	t.Logf("%d sheets were recorded", tried)
	if tried < least {
		t.Errorf("only %d sheets were recorded", tried)
	}
}

// recordAndReplay renders a sheet and its recording.
func recordAndReplay(t *testing.T, name, text string, s *cue.Sheet, libs libraries) {
	t.Helper()
	frames := func(s *cue.Sheet, recording bool) (all []pcm.Frame, p *play.Player) {
		p, err := play.NewPlayer(t.Context(), s, libs.of(s.Rate), play.Options{Record: recording})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		defer p.Close()
		block := make([]pcm.Frame, 512*p.Outputs())
		for {
			n, err := p.Read(block)
			all = append(all, block[:n]...)
			if errors.Is(err, io.EOF) {
				return all, p
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
		}
	}
	played, p := frames(s, true)
	recorder, err := p.Recorder()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	var recorded bytes.Buffer
	if _, err := recorder.WriteTo(&recorded); err != nil {
		t.Fatal(err)
	}
	again, err := cue.Parse("recorded.yaml", recorded.Bytes())
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, recorded.String())
	}
	replayed, _ := frames(again, false)
	for i, want := range played {
		got := pcm.Frame{} // the sheet may end with its last start, which is followed by silence
		if i < len(replayed) {
			got = replayed[i]
		}
		if got != want {
			t.Errorf("%s: frame %d of the recording is %v, want %v\n%s\nrecorded as\n%s", name, i, got, want, text, recorded.String())
			return
		}
	}
}
