package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// endless gives a beginning, and then one byte for ever.
type endless struct {
	begin io.Reader
	then  byte
	given int
}

func (e *endless) Read(b []byte) (int, error) {
	if n, err := e.begin.Read(b); err == nil {
		return n, nil
	}
	for i := range b {
		b[i] = e.then
	}
	e.given += len(b)
	return len(b), nil
}

// TestReadReportWrong: every error names the place, in one line.
func TestReadReportWrong(t *testing.T) {
	const head = `{"version":1,"rate":48000,"frames":10,"voices":2,"virtual":0,"overflow":"quietest","totals":{},`
	for _, c := range []struct{ text, want string }{
		{``, `r:1:1: it ends before the report does`},
		{`[]`, `r:1:2: ` + errNoReport.Error()},
		{`RIFF`, `r:1:1: ` + errNoReport.Error()},
		{`{"a":1}`, `r:1:8: ` + errNoReport.Error()},
		{"voices: 2\ncues: []", `r:1:1: ` + errNoReport.Error()},
		{"{voices: 2, cues: []}", `r:1:2: ` + errNoReport.Error()},
		{`{"voices":2,"cues":[]}`, `r:1:19: ` + errNoReport.Error()},
		{head + "\n\"events\":[\n {\"frame\":1},\n {\"frame\":x}]}", `r:4:11: invalid character 'x' looking for beginning of value`},
		{head + "\n\"events\":[\n {\"frame\":1},\n {\"frame\":\"2\"}]}", `r:4:15: frame is string, which it cannot be`},
		{head + "\n\"events\":[\n {\"frame\":2},\n {\"frame\":1}]}", `r:4:13: an event of frame 1 after one of frame 2`},
		{head + "\n\"events\":[{\"frame\":2}", `r:2:22: it ends before the report does`},
		{head + "\n\"events\":7}", `r:2:11: this is not the list of events`},
		{head + `"version":1,"events":[]}`, `r:1:105: "version" stands there twice`},
		{`{"version":2,"rate":48000,"events":[]}`, `r:1:39: a report of version 2, only 1 is understood`},
		{`{"version":1,"rate":0,"events":[]}`, `r:1:35: a rate of 0 Hz is not in 1..768000`},
	} {
		_, err := readReport("r", strings.NewReader(c.text), func(*happening) error { return nil })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\nsays %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestReadReportEndless: what never ends is given up soon, whatever it is.
func TestReadReportEndless(t *testing.T) {
	for _, c := range []struct {
		begin string
		then  byte
	}{
		{``, ' '}, {`{"version":"`, 'x'}, {`{"version":1,"events":[{"kind":"`, 'x'}, {`{"version":1,"events":[`, '['}, {`{"a":[`, '\n'}, {`{"version":1`, '1'},
	} {
		in := &endless{begin: strings.NewReader(c.begin), then: c.then}
		_, err := readReport("r", in, func(*happening) error { return nil })
		if err == nil {
			t.Errorf("%s...: no error", c.begin)
		}
		if in.given > 4*maxEvent {
			t.Errorf("%s...: %d bytes were read", c.begin, in.given)
		}
	}
}

// TestReadReportOrder: members may come in any order, and unknown ones may be
// there; a failing reader is named, and what is told may end the reading.
func TestReadReportOrder(t *testing.T) {
	const text = `{"events":[{"frame":5,"kind":"started","voice":1,"slot":3}],"new":{"a":[1,2]},"rate":8000,"version":1,"frames":9}`
	var got []happening
	head, err := readReport("r", strings.NewReader(text), func(h *happening) error {
		got = append(got, *h)
		return nil
	})
	if err != nil || head.Rate != 8000 || head.Frames != 9 || len(got) != 1 || got[0].Frame != 5 || got[0].slot() != 3 {
		t.Errorf("read %+v, %+v, %v", head, got, err)
	}
	broken := errors.New("broken")
	_, err = readReport("r", io.MultiReader(strings.NewReader(text[:30]), failing{broken}), func(*happening) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
	enough := errors.New("enough")
	if _, err = readReport("r", strings.NewReader(text), func(*happening) error { return enough }); err != enough {
		t.Errorf("one who wants no more gets %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzReport: any text is explained, drawn or refused, in a line.
func FuzzReport(f *testing.F) {
	f.Add(sampleReport)
	f.Add(`{"version":1,"rate":1,"events":[{"kind":"stolen","voice":1,"by":1},{"kind":"real","voice":1,"slot":70000},{"kind":"limited","reason":"cooldown"}]}`)
	f.Add(`{"version":1,"rate":8000,"frames":-5,"voices":-1,"events":[{"kind":"virtual","voice":2,"slot":-7},{"kind":"ended","voice":2}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, answer := range []func() (answer, error){
			func() (answer, error) { return explainVoice("r", strings.NewReader(text), 1) },
			func() (answer, error) { return explainCue("r", strings.NewReader(text), 0) },
			func() (answer, error) { return explainSound("r", strings.NewReader(text), "bell") },
		} {
			a, err := answer()
			switch {
			case err == nil:
				a.print(io.Discard)
				if err := printJSON(io.Discard, a); err != nil {
					t.Error(err)
				}
			case strings.ContainsAny(message(err), "\n\r"):
				t.Errorf("an error of several lines: %q", message(err))
			}
		}
		drawn, err := newTimeline("r", "r", strings.NewReader(text), nil)
		if err != nil || drawn.slots+drawn.lanes > 64 {
			return
		}
		if err := drawn.writeHTML(io.Discard); err != nil {
			t.Error(err)
		}
		if c, err := drawTimeline(drawn, func(w, h int) canvas { return newSVGCanvas(w, h) }); err != nil || c.writeTo(io.Discard) != nil {
			t.Errorf("it cannot be drawn: %v", err)
		}
	})
}
