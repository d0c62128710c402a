package bench

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func rowOf(name string, ns ...float64) Row { return callRow(name, 8, ns) }

// TestAgainst checks that rows are matched by case and voices, and that the U test separates
// changes from noise. For two sets of seven samples without overlap, 2 of 3,432 divisions are as
// extreme.
func TestAgainst(t *testing.T) {
	before := &Results{Rows: []Row{
		rowOf("play", 1, 2, 3, 4, 5, 6, 7), rowOf("stop", 10, 11, 12, 13, 14, 15, 16), rowOf("gone", 1), {Case: "play", Voices: 9, Ns: new(1.0), Samples: []float64{1}},
	}}
	now := &Results{Rows: []Row{
		rowOf("stop", 20, 21, 22, 23, 24, 25, 26), rowOf("play", 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 3), rowOf("new", 1),
	}}
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadResults(text)
	if err != nil {
		t.Fatal(err)
	}
	changes := Against(now, read)
	if len(changes) != 2 || changes[0].Case != "stop" || changes[1].Case != "play" {
		t.Fatalf("the changes are %+v", changes)
	}
	stop, play := changes[0], changes[1]
	if stop.Before != 13 || stop.Now != 23 || math.Abs(stop.P-2./3432) > 1e-9 || !stop.Differs() || math.Abs(stop.Share-10./13) > 1e-9 {
		t.Errorf("of what is slower: %+v", stop)
	}
	if play.Differs() || play.P < 0.5 {
		t.Errorf("of what is as it was: %+v", play)
	}
	var out strings.Builder
	PrintChanges(&out, changes)
	if s := out.String(); !strings.Contains(s, "+76.9 %") || !strings.Contains(s, " ~ ") {
		t.Errorf("it prints\n%s", s)
	}
}

// TestReadResults checks the errors for texts from other programs.
func TestReadResults(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "was not printed by bench --json",
		"[]":                         "was not printed by bench --json",
		"{}":                         "has no rows with samples",
		`{"rows":[{"case":"mono"}]}`: "has no rows with samples",
	} {
		if _, err := ReadResults([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
