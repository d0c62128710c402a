package mutants

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	recorded = flag.String("recorded", "", "a folder of recorded sounds, as .ci/recorded-sounds-reach-goals -sounds makes it")
	seeds    = flag.String("seeds", "1,2,3", "seeds of each scene")
)

const virtual = "mixer/audio_virtual.go"

// The code that a setting replaces.
var (
	hysteresis = edit{old: "exchangeGain = 1.2589254"}
	half       = edit{old: "half := at == a.hop/2 && a.voices.Virtual() > 0", new: "half := false"}
	most       = edit{old: "exchanges    = 4"}
	ahead      = edit{old: "const soonSteps = 4"}
	starts     = edit{old: "return steals && in.virtualizable", new: "return false && steals"}
)

// quarters makes the mixer look for exchanges every 5 ms.
var quarters = []edit{
	{"at < half && a.voices.Virtual() > 0 {\n		return min(n, half-at)", "a.voices.Virtual() > 0 {\n		return min(n, half/2-at%(half/2), a.hop-at)"},
	{"half := at == a.hop/2 &&", "half := at%(a.hop/4) == 0 &&"},
}

// rests protects a restored voice from being stolen for 100 ms.
var rests = map[string][]edit{
	virtual: {
		{"		a.scores.choose(&c, &q, key)\n", `		spared := map[int]int32{}
		for _, v := range a.voices.Real() {
			if v.Voice.back > 0 && a.now-v.Voice.back < int64(a.rate)/10 {
				spared[v.Index] = a.scores.Prio(v.Index)
				a.scores.SetPrio(v.Index, victim.Unstealable)
			}
		}
		a.scores.choose(&c, &q, key)
		for i, prio := range spared {
			a.scores.SetPrio(i, prio)
		}
`},
		{"	s.voice.FadeBackIn(a.now, a.smooth)\n", "	s.voice.FadeBackIn(a.now, a.smooth)\n	s.back = a.now\n"},
	},
	audio: {{"	began           int64   // the frame of the start\n", "	began, back     int64\n"}},
}

func (e edit) as(text string) edit { return edit{e.old, text} }

// settings are the exchange settings to compare; the mixer's own is the last.
var settings = []struct {
	name  string
	edits map[string][]edit
}{
	{"before", map[string][]edit{
		virtual:                 {hysteresis.as("exchangeGain = 4"), half},
		"mixer/audio_victim.go": {starts},
		envelope:                {ahead.as("const soonSteps = 2"), {"h.step = max(h.hop/4, 1)", "h.step = h.hop"}},
	}},
	{"6 dB", map[string][]edit{virtual: {hysteresis.as("exchangeGain = 4")}}},
	{"3 dB", map[string][]edit{virtual: {hysteresis.as("exchangeGain = 1.9952623")}}},
	{"1.5 dB", map[string][]edit{virtual: {hysteresis.as("exchangeGain = 1.4125375")}}},
	{"0.5 dB", map[string][]edit{virtual: {hysteresis.as("exchangeGain = 1.1220185")}}},
	{"0 dB", map[string][]edit{virtual: {hysteresis.as("exchangeGain = 1")}}},
	{"up to 2", map[string][]edit{virtual: {most.as("exchanges    = 2")}}},
	{"up to 2, 1.5 dB", map[string][]edit{virtual: {most.as("exchanges    = 2"), hysteresis.as("exchangeGain = 1.4125375")}}},
	{"2 every 5 ms, 1.5 dB", map[string][]edit{virtual: append([]edit{most.as("exchanges    = 2"), hysteresis.as("exchangeGain = 1.4125375")}, quarters...)}},
	{"5 ms apart", map[string][]edit{virtual: quarters}},
	{"20 ms apart", map[string][]edit{virtual: {half}}},
	{"40 ms ahead", map[string][]edit{envelope: {ahead.as("const soonSteps = 8")}}},
	{"80 ms ahead", map[string][]edit{envelope: {ahead.as("const soonSteps = 16")}}},
	{"120 ms ahead", map[string][]edit{envelope: {ahead.as("const soonSteps = 24")}}},
	{"100 ms of rest", rests},
	{"every start plays", map[string][]edit{"mixer/audio_victim.go": {starts}}},
	{"**taken**", nil},
}

// TestExchanges prints the table of docs/decisions/032-exchanges-of-virtual-voices.md.
func TestExchanges(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes hours, and prints a table that nothing compares: .ci/measure-exchanges runs it by hand")
	}
	fmt.Print("| setting | scene, voices | above the bound, dB | by powers | audible tiles | audible cuts a second |\n|---|---|---|---|---|---|\n")
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "voicepool.exe")
			args := []string{"stealbench", "-q", "--json", "--scene", "fire,rts,plat", "--voices", "16,32", "--seeds", *seeds, "--policies", "quietest+virtual=256"}
			if *recorded != "" {
				args = append(args, "--sounds", *recorded)
			}
			var out []byte
			for _, c := range []*exec.Cmd{
				exec.Command("go", "build", "-overlay", overlay(t, s.edits), "-o", program, "./cmd/voicepool"), exec.Command(program, args...),
			} {
				c.Dir, c.Stderr, c.Env = module, os.Stderr, append(os.Environ(), "GOWORK=")
				var err error
				if out, err = c.Output(); err != nil {
					t.Fatal(err)
				}
			}
			var report struct {
				Rows []struct {
					Scene, Policy string
					Voices        int
					KError        float64 `json:"k_error_db"`
					Power         float64 `json:"power_error_db"`
					Tiles         float64 `json:"audible_tiles"`
					Cuts          float64 `json:"audible_cuts_per_second"`
				}
			}
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatal(err)
			}
			rows := report.Rows // the policy, the optimum and the bound, for each scene and size
			for ; len(rows) >= 3; rows = rows[3:] {
				r, bound := rows[0], rows[2].Power
				fmt.Printf("| %s | %s %d | %.2f | %.2f | %.2f %% | %.1f |\n", s.name, r.Scene, r.Voices, r.KError-bound, r.Power-bound, 100*r.Tiles, r.Cuts)
			}
		})
	}
}
