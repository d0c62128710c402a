package report

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless is a reader that gives a beginning and then repeats one byte without end.
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

// TestReadWrong checks that every error names the place in one line.
func TestReadWrong(t *testing.T) {
	const head = `{"version":1,"rate":48000,"frames":10,"voices":2,"virtual":0,"overflow":"quietest","totals":{},`
	for _, c := range []struct{ text, want string }{
		{``, `r:1:1: it ends before the report does`},
		{`[]`, `r:1:2: ` + errNoReport.Error()},
		{`RIFF`, `r:1:1: ` + errNoReport.Error()},
		{`{"a":1}`, `r:1:8: ` + errNoReport.Error()},
		{"voices: 2\ncues: []", `r:1:1: ` + errNoReport.Error()},
		{"{voices: 2, cues: []}", `r:1:2: ` + errNoReport.Error()},
		{`{"voices":2,"cues":[]}`, `r:1:19: ` + errNoReport.Error()},
		{head + "\n\"events\":[\n {\"kind\":\"ended\",\"frame\":1},\n {\"frame\":x}]}", `r:4:11: invalid character 'x' looking for beginning of value`},
		{head + "\n\"events\":[\n {\"kind\":\"ended\",\"frame\":1},\n {\"frame\":\"2\"}]}", `r:4:15: frame is string, which it cannot be`},
		{head + "\n\"events\":[\n {\"kind\":\"ended\",\"frame\":2},\n {\"kind\":\"ended\",\"frame\":1}]}", `r:4:28: an event of frame 1 after one of frame 2`},
		{head + "\n\"events\":[{\"kind\":\"ended\",\"frame\":2}", `r:2:37: it ends before the report does`},
		{head + "\n\"events\":[{\"frame\":2}]}", `r:2:22: an event without a kind`},
		{head + "\n\"events\":[{\"kind\":\"gone\"}]}", `r:2:26: "gone" is no kind of event`},
		{head + "\n\"events\":[{\"kind\":\"ended\",\"reason\":\"x\"}]}", `r:2:40: "x" is no reason`},
		{head + "\n\"events\":[{\"kind\":\"ended\",\"policy\":\"x\"}]}", `r:2:40: "x" is no policy`},
		{head + "\"peak_db\":true,\"events\":[]}", `r:1:110: peak_db is bool, which it cannot be`},
		{head + "\n\"events\":7}", `r:2:11: this is not the list of events`},
		{head + `"version":1,"events":[]}`, `r:1:105: "version" is there twice`},
		{`{"version":2,"rate":48000,"events":[]}`, `r:1:39: a report of version 2, only 1 is understood`},
		{`{"version":1,"rate":0,"events":[]}`, `r:1:35: a rate of 0 Hz is not in 1..768000`},
	} {
		_, err := Read("r", strings.NewReader(c.text), func(*Event) error { return nil })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\nsays %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestReadEndless checks that endless input of any kind is soon rejected.
func TestReadEndless(t *testing.T) {
	for _, c := range []struct {
		begin string
		then  byte
	}{
		{``, ' '}, {`{"version":"`, 'x'}, {`{"version":1,"events":[{"kind":"`, 'x'}, {`{"version":1,"events":[`, '['}, {`{"a":[`, '\n'}, {`{"version":1`, '1'},
	} {
		in := &endless{begin: strings.NewReader(c.begin), then: c.then}
		_, err := Read("r", in, func(*Event) error { return nil })
		if err == nil {
			t.Errorf("%s...: no error", c.begin)
		}
		if in.given > 4*maxEvent {
			t.Errorf("%s...: %d bytes were read", c.begin, in.given)
		}
	}
}

// TestReadOrder checks that members may come in any order and that unknown ones are ignored. The error of a
// reader is named, and an error of the callback ends the reading.
func TestReadOrder(t *testing.T) {
	const text = `{"events":[{"frame":5,"kind":"started","voice":1,"slot":3}],"new":{"a":[1,2]},"rate":8000,"version":1,"frames":9}`
	var got []Event
	head, err := Read("r", strings.NewReader(text), func(e *Event) error {
		got = append(got, *e)
		return nil
	})
	if err != nil || head.Rate != 8000 || head.Frames != 9 || len(got) != 1 || got[0].Frame != 5 || got[0].Slot != 3 {
		t.Errorf("read %+v, %+v, %v", head, got, err)
	}
	broken := errors.New("broken")
	_, err = Read("r", io.MultiReader(strings.NewReader(text[:30]), failing{broken}), func(*Event) error { return nil })
	if !errors.Is(err, broken) {
		t.Errorf("a reader that fails gives %v", err)
	}
	enough := errors.New("enough")
	if _, err = Read("r", strings.NewReader(text), func(*Event) error { return enough }); err != enough {
		t.Errorf("one who wants no more gets %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// stream gives the same event left times, and then rest.
type stream struct {
	event string
	left  int
	rest  string
}

func (s *stream) Read(b []byte) (int, error) {
	if s.rest == "" {
		if s.left == 0 {
			return 0, io.EOF
		}
		s.left--
		s.rest = s.event
		if s.left == 0 {
			s.rest = s.event[:len(s.event)-1] + "]}"
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// TestReadKeepsNothing checks that the memory use of Read does not depend on the length of a report.
func TestReadKeepsNothing(t *testing.T) {
	const many = 50000
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	in := &stream{event: `{"kind":"stolen","voice":1,"sound":"bell","by":2,"by_sound":"gong","audibility_db":-3},`, left: many}
	n, early, late := 0, uint64(0), uint64(0)
	_, err := Read("r", io.MultiReader(strings.NewReader(`{"version":1,"rate":1,"events":[`), in), func(*Event) error {
		switch n++; n {
		case many / 10:
			early = held()
		case many:
			late = held()
		}
		return nil
	})
	if err != nil || n != many {
		t.Fatalf("%d events, %v; want %d", n, err, many)
	}
	if late > early+1<<20 {
		t.Errorf("after %d events %d bytes are held, after %d of them %d", many/10, early, many, late)
	}
}
