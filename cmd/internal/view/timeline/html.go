package timeline

import (
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"voicepool/internal/words"
)

// The parts of the HTML page of a timeline. They are inserted at its placeholders, so that the page
// is self-contained. Its data is gzipped JSON in base64.
var (
	//go:embed page.html
	timelinePage string
	//go:embed page.css
	timelineStyle string
	//go:embed draw.js
	timelineDraw string
	//go:embed page.js
	timelineScript string
)

// fullPage returns the HTML page with the placeholder @DATA@ in place of its data.
func fullPage() string {
	return strings.NewReplacer("@STYLE@", timelineStyle, "@DRAW@", timelineDraw, "@PAGE@", timelineScript).Replace(timelinePage)
}

// Policy returns the content security policy of the HTML page. It permits only the page's own style
// and script.
var Policy = sync.OnceValue(func() string {
	hash := func(begin, end string) string {
		_, text, _ := strings.Cut(fullPage(), begin)
		text, _, _ = strings.Cut(text, end)
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash("<style>", "</style>") + "; script-src " + hash("<script>", "</script>") +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
})

// pageVoice is a ribbon in the page. Frames, rows and levels are flat lists.
type pageVoice struct {
	Number uint64   `json:"n"`
	Sound  int      `json:"s"`
	From   int64    `json:"a"`
	To     int64    `json:"b"`
	Parts  []int64  `json:"p"` // from, to, row, virtual
	Losses []any    `json:"x"` // frame, by, virtual, level
	First  int      `json:"f"` // index of the first sample in Levels
	Levels []byte   `json:"l,omitempty"`
	Text   pageText `json:"t"`
}

type pageText struct {
	Title  string   `json:"title"`
	Fate   string   `json:"fate"`
	Events [][2]any `json:"events"` // seconds, text
	Advice []string `json:"advice"`
}

type pageMark struct {
	Frame int64  `json:"a"`
	Sound int    `json:"s"`
	Kind  string `json:"k"`
	Text  string `json:"t"`
}

type pageGap struct {
	From int64  `json:"a"`
	To   int64  `json:"b"`
	Text string `json:"t"`
}

// writeHTML writes the timeline to w as an HTML page with zoom and search. The page contains its style, its script and
// all data, compressed, so that it needs no further files.
func (t *Timeline) writeHTML(w io.Writer) error {
	page := struct {
		Title   string      `json:"title"`
		About   string      `json:"about"`
		Rate    int         `json:"rate"`
		Frames  int64       `json:"frames"`
		Pool    int         `json:"pool"`
		Slots   int         `json:"slots"`
		Lanes   int         `json:"lanes"`
		Step    int64       `json:"step"` // 0: levels were not recorded
		Bottom  float64     `json:"bottom"`
		Top     float64     `json:"top"`
		Sounds  []string    `json:"sounds"`
		Colours []string    `json:"colours"`
		Voices  []pageVoice `json:"voices"`
		Refused []pageMark  `json:"refused"`
		Lost    [][5]any    `json:"lost"` // frame, voice, sound, kind, level; the quietest first
		Gaps    []pageGap   `json:"gaps"`
		Steps   []int64     `json:"steps"` // frame, real, virtual
		Peaks   []byte      `json:"peaks"`
		Floor   float64     `json:"floor"` // level of the byte 0 in dB; each unit adds 0.5 dB
	}{
		Title: t.title, About: t.summary(), Rate: t.head.Rate, Frames: t.head.Frames, Pool: t.head.Voices, Slots: max(t.slots, 1), Lanes: t.lanes,
		Sounds: []string{}, Colours: []string{}, Voices: []pageVoice{}, Refused: []pageMark{}, Lost: [][5]any{}, Gaps: []pageGap{}, Steps: t.steps(), Peaks: []byte{},
		Floor: inaudible,
	}
	if l := t.levels; l != nil {
		page.Step, page.Peaks = l.step, append(page.Peaks, l.peaks...)
		page.Bottom, page.Top = l.scale()
	}
	for i, name := range t.sounds {
		c := soundColour(i)
		page.Sounds = append(page.Sounds, words.OneLine(name))
		page.Colours = append(page.Colours, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	for i := range t.ribbons {
		page.Voices = append(page.Voices, t.pageVoice(&t.ribbons[i]))
	}
	for _, m := range t.marks {
		page.Refused = append(page.Refused, pageMark{m.frame, m.sound, m.kind.String(), m.text()})
	}
	for _, l := range t.lostByLevel() {
		page.Lost = append(page.Lost, [5]any{l.frame, l.voice, l.sound, l.kind.String(), l.level})
	}
	for i := range t.gaps {
		g := &t.gaps[i]
		page.Gaps = append(page.Gaps, pageGap{g.From, g.To, g.Text(t.head)})
	}
	var data strings.Builder // writes to it cannot fail
	encoded := base64.NewEncoder(base64.StdEncoding, &data)
	packed := gzip.NewWriter(encoded)
	if err := json.NewEncoder(packed).Encode(page); err != nil {
		return err
	}
	packed.Close()
	encoded.Close()
	before, after, _ := strings.Cut(fullPage(), "@DATA@")
	_, err := io.WriteString(w, before+data.String()+after)
	return err
}

// pageVoice converts the voice r to the form that the script of the HTML page reads. The result also has the
// explanation of the voice in words and, if recorded, its levels.
func (t *Timeline) pageVoice(r *ribbon) pageVoice {
	explanation := r.text()
	v := pageVoice{
		Number: r.number, Sound: r.sound, From: r.from, To: r.to, Parts: []int64{}, Losses: []any{},
		Text: pageText{Title: explanation.Title(), Fate: explanation.Fate, Events: [][2]any{}, Advice: explanation.Advice},
	}
	for _, p := range r.parts {
		v.Parts = append(v.Parts, p.from, p.to, int64(p.row), boolToInt(p.virtual))
	}
	for _, l := range r.losses {
		v.Losses = append(v.Losses, l.frame, l.by, boolToInt(l.virtual), l.level)
	}
	for _, e := range explanation.Events {
		v.Text.Events = append(v.Text.Events, [2]any{e.Seconds, e.Text})
	}
	if t.levels != nil {
		if track := t.levels.tracks[r.number]; track != nil {
			v.First, v.Levels = track.first, track.level
		}
	}
	return v
}

// boolToInt returns 1 for true and 0 for false.
func boolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
