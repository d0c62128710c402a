package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

type explainCommand struct {
	Report string  `arg:"" help:"A report (JSON) of --report; - is standard input."`
	Voice  *string `arg:"" optional:"" help:"The number of the voice, from 1."`
	Cue    *int    `placeholder:"N" help:"Instead: what became of the starts of a cue, counted from 0; those too that got no voice."`
	Sound  *string `placeholder:"NAME" help:"Instead: a summary of a sound."`
	JSON   bool    `name:"json" help:"Print JSON."`
}

func (e *explainCommand) Run(c *console) error {
	voice, err := e.check()
	if err != nil {
		return err
	}
	in, name := c.in, "standard input"
	if e.Report != "-" {
		file, err := os.Open(e.Report)
		if err != nil {
			return fmt.Errorf("%s: %w", oneLine(e.Report), cause(err))
		}
		defer file.Close()
		in, name = file, oneLine(e.Report)
	}
	interrupted := listen(c.restore)
	defer interrupted.close()
	answer, err := within(interrupted, func() (answer, error) {
		switch {
		case e.Cue != nil:
			return explainCue(name, in, *e.Cue)
		case e.Sound != nil:
			return explainSound(name, in, *e.Sound)
		}
		return explainVoice(name, in, voice)
	})
	if err != nil {
		return err
	}
	if e.JSON {
		return printJSON(c.out, answer)
	}
	answer.print(c.out)
	return nil
}

// answer is what explain says: as JSON, or in words.
type answer interface{ print(w io.Writer) }

func (e *explainCommand) check() (voice uint64, err error) {
	asked := 0
	for _, given := range [...]bool{e.Voice != nil, e.Cue != nil, e.Sound != nil} {
		if given {
			asked++
		}
	}
	switch {
	case asked == 0:
		return 0, usage("say which voice, or --cue N, or --sound NAME")
	case asked > 1:
		return 0, usage("a voice, --cue and --sound: only one of them can be explained at a time")
	case e.Cue != nil && *e.Cue < 0:
		return 0, usage("--cue: %d is no cue; they count from 0", *e.Cue)
	case e.Voice != nil:
		voice, err = strconv.ParseUint(strings.TrimPrefix(*e.Voice, "#"), 10, 64)
		if err != nil || voice == 0 {
			return 0, usage("%q is no voice; their numbers count from 1", oneLine(*e.Voice))
		}
	}
	return voice, nil
}

// explained is an event of what is explained, with its words.
type explained struct {
	Seconds float64 `json:"seconds"`
	Text    string  `json:"text"`
	*happening
}

// explain returns an event with its words, as a sentence.
func explain(h *happening, head *reportHead, text string) explained {
	return explained{secondsOf(h.Frame, head), text + ".", h}
}

// voiceAnswer is the life of a voice.
type voiceAnswer struct {
	Voice  uint64      `json:"voice"`
	Sound  string      `json:"sound"`
	Cue    int         `json:"cue"`
	Fate   string      `json:"fate"` // ended, stopped, stolen, playing
	From   float64     `json:"from_seconds"`
	To     float64     `json:"to_seconds"`
	Heard  float64     `json:"heard_seconds"` // in a slot; silence and pauses included
	Events []explained `json:"events"`
	Advice []string    `json:"advice"`
}

// explainVoice reads a report and tells the life of one voice.
func explainVoice(name string, in io.Reader, number uint64) (answer, error) {
	life := &life{number: number}
	head, err := readReport(name, in, func(h *happening) error {
		life.add(h)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case !life.started():
		return nil, noVoice(name, number, head)
	}
	return life.tell(head), nil
}

func noVoice(name string, number uint64, head *reportHead) error {
	if lost := head.Totals.EventsLost; lost > 0 {
		return fmt.Errorf("%s: nothing is told of a voice %d; %d started, and %d events were lost", name, number, head.Totals.Started, lost)
	}
	if head.Totals.Started == 0 {
		return fmt.Errorf("%s: there is no voice %d, for nothing started", name, number)
	}
	return fmt.Errorf("%s: there is no voice %d, only 1 to %d", name, number, head.Totals.Started)
}

func (a *voiceAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n", a.title())
	for _, e := range a.Events {
		fmt.Fprintf(w, "  %s  %s\n", clock(e.Seconds), e.Text)
	}
	for _, s := range a.Advice {
		fmt.Fprintf(w, "  * %s\n", s)
	}
}

// title is the life in one sentence.
func (a *voiceAnswer) title() string {
	fate := map[string]string{
		"ended": "came to its end", "stopped": "was stopped", "stolen": "was stolen", "playing": "still played when the report ends",
	}[a.Fate]
	if a.Heard == 0 && a.Fate != "playing" {
		fate += " without having been heard"
	}
	return fmt.Sprintf("%s #%d (cue %d), %s to %s, %s.", oneLine(a.Sound), a.Voice, a.Cue, clock(a.From), clock(a.To), fate)
}

// clock prints a time to the millisecond.
func clock(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.3f s", seconds)
	}
	return fmt.Sprintf("%d:%06.3f", int(seconds/60), seconds-60*float64(int(seconds/60)))
}

// cueAnswer is what became of the starts of a cue.
type cueAnswer struct {
	Cue       int         `json:"cue"`
	Sound     string      `json:"sound"`
	Asked     int         `json:"asked"`
	Started   int         `json:"started"`
	Stolen    int         `json:"stolen"`
	Rejected  int         `json:"rejected"`
	Limited   int         `json:"limited"`
	Coalesced int         `json:"coalesced"`
	Missed    int         `json:"missed"`
	Voices    []uint64    `json:"voices"` // the numbers of those that started
	Events    []explained `json:"events"` // of all that did not come to its end
	More      int         `json:"more"`   // events that are not listed
	Advice    []string    `json:"advice"`
}

// explainCue tells what became of a cue.
func explainCue(name string, in io.Reader, cue int) (answer, error) {
	a := &cueAnswer{Cue: cue, Voices: []uint64{}}
	var kept []happening
	earlier := map[string]happening{} // the last start of each sound
	befores := map[int]happening{}    // of a refusal by cooldown, the start before
	last := -1
	head, err := readReport(name, in, func(h *happening) error {
		last = max(last, h.Cue)
		if h.Kind == "started" && (len(earlier) < maxKept || earlier[h.Sound].Voice != 0) {
			defer func() { earlier[h.Sound] = *h }()
		}
		if h.Cue != cue {
			return nil
		}
		if h.Sound != "" {
			a.Sound = h.Sound
		}
		switch h.Kind {
		case "started":
			a.Started++
			if len(a.Voices) < maxKept {
				a.Voices = append(a.Voices, h.Voice)
			}
			return nil
		case "stolen":
			a.Stolen++
		case "rejected":
			a.Rejected++
		case "limited":
			a.Limited++
		case "coalesced":
			a.Coalesced++
		case "missed":
			a.Missed++
		case "virtual":
		default:
			return nil
		}
		if len(kept) == maxKept {
			a.More++
			return nil
		}
		if before, ok := earlier[h.Sound]; ok && h.Reason == "cooldown" {
			befores[len(kept)] = before
		}
		kept = append(kept, *h)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.Asked = a.Started + a.Rejected + a.Limited + a.Coalesced
	if a.Asked+a.Missed == 0 {
		if last < 0 {
			return nil, fmt.Errorf("%s: nothing is told of cue %d, for nothing happened", name, cue)
		}
		return nil, fmt.Errorf("%s: nothing is told of cue %d; the last cue that did something is %d", name, cue, last)
	}
	a.Events = []explained{}
	var losses, refusals []*happening
	for i := range kept {
		h := &kept[i]
		var before *happening
		if b, ok := befores[i]; ok {
			before = &b
		}
		a.Events = append(a.Events, explain(h, head, tellRefusal(h, head, before)))
		if h.Kind == "stolen" || h.Kind == "virtual" {
			losses = append(losses, h)
		} else {
			refusals = append(refusals, h)
		}
	}
	advice := advisor{head: head}
	advice.about(losses, refusals, false)
	a.Advice = advice.list()
	return a, nil
}

// numbers lists some voices.
func numbers(voices []uint64) string {
	var list []string
	for i, n := range voices {
		if i == 12 {
			list = append(list, "...")
			break
		}
		list = append(list, fmt.Sprintf("#%d", n))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// maxPrinted is how many events of a cue are printed.
const maxPrinted = 40

func (a *cueAnswer) print(w io.Writer) {
	if a.Asked == 0 {
		fmt.Fprintf(w, "cue %d: found no voice of its id %s.\n", a.Cue, count(a.Missed, "time"))
	} else {
		line := fmt.Sprintf("cue %d plays %s: asked for %s, started %d%s", a.Cue, oneLine(a.Sound), count(a.Asked, "time"), a.Started, numbers(a.Voices))
		for _, n := range [...]struct {
			what string
			n    int
		}{{"rejected", a.Rejected}, {"limited", a.Limited}, {"coalesced", a.Coalesced}} {
			if n.n > 0 {
				line += fmt.Sprintf(", %s %d", n.what, n.n)
			}
		}
		if a.Stolen > 0 {
			line += fmt.Sprintf("; %d of those that started were stolen", a.Stolen)
		}
		fmt.Fprintf(w, "%s.\n", line)
	}
	for i, e := range a.Events {
		if i == maxPrinted {
			fmt.Fprintf(w, "  ... and %d more\n", len(a.Events)-i+a.More)
			break
		}
		fmt.Fprintf(w, "  %s  %s\n", clock(e.Seconds), e.Text)
	}
	for _, s := range a.Advice {
		fmt.Fprintf(w, "  * %s\n", s)
	}
}
