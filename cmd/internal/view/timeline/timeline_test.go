package timeline

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/internal/explain"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// sampleReport returns the report of the tests of package explain.
func sampleReport(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../../../internal/explain/testdata/sample.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sampleTimeline(t *testing.T, recorded *Levels) *Timeline {
	t.Helper()
	drawn, err := Read("sample", "r", strings.NewReader(sampleReport(t)), recorded)
	if err != nil {
		t.Fatal(err)
	}
	return drawn
}

// TestTimeline checks the parts and losses of a report.
func TestTimeline(t *testing.T) {
	d := sampleTimeline(t, nil)
	if want := []string{"bell", "boom", "step", "wind"}; !slices.Equal(slices.Sorted(slices.Values(d.sounds)), want) || d.sounds[0] != "bell" {
		t.Errorf("sounds %v, want %v with bell first", d.sounds, want)
	}
	if d.slots != 2 || d.lanes != 1 || len(d.ribbons) != 6 || len(d.marks) != 3 {
		t.Errorf("%d slots, %d lanes, %d voices, %d marks; want 2, 1, 6, 3", d.slots, d.lanes, len(d.ribbons), len(d.marks))
	}
	for _, c := range []struct {
		voice  uint64
		parts  []part
		losses []loss
	}{
		{
			voice: 1, parts: []part{{to: 500}, {from: 500, to: 900, virtual: true}},
			losses: []loss{{frame: 500, by: 3, virtual: true, level: -52.5}, {frame: 900, by: 4, level: -61}},
		},
		{
			voice: 2,
			parts: []part{
				{from: 100, to: 900, row: 1},
				{from: 900, to: 1020, virtual: true},
				{from: 1020, to: 5000, row: 1},
			},
			losses: []loss{{frame: 900, by: 4, virtual: true, level: -45}},
		},
		{voice: 6, parts: []part{{from: 2200, to: 2300}}, losses: []loss{{frame: 2300, by: 7, level: inaudible}}},
	} {
		r := d.find(c.voice)
		if r == nil || !slices.Equal(r.parts, c.parts) || !slices.Equal(r.losses, c.losses) {
			t.Errorf("voice %d is %+v,\nwant parts %+v, losses %+v", c.voice, r, c.parts, c.losses)
		}
	}
	want := []int64{0, 1, 0, 100, 2, 0, 500, 2, 1, 900, 2, 1, 1000, 1, 1, 1020, 2, 0, 2100, 1, 0, 2200, 2, 0, 2300, 1, 0, 5000, 0, 0}
	if got := d.steps(); !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	real, virtual := d.counts(5)
	if !slices.Equal(real, []int64{2, 2, 2, 1, 1}) || !slices.Equal(virtual, []int64{1, 1, 0, 0, 0}) {
		t.Errorf("counts %v, %v, want 2 2 2 1 1 and 1 1 0 0 0", real, virtual)
	}
}

// TestLanes checks that overlapping virtual parts have different lanes, and that lanes are reused.
func TestLanes(t *testing.T) {
	d := &Timeline{ribbons: []ribbon{
		{parts: []part{{to: 5, row: -1, virtual: true}}},
		{parts: []part{{from: 5, to: 9, row: -1, virtual: true}}},
	}}
	if d.findLanes(); d.lanes != 1 {
		t.Errorf("%d lanes for one after the other, want 1", d.lanes)
	}
	random := rand.New(rand.NewPCG(1, 2))
	d = &Timeline{}
	for range 300 {
		from := random.Int64N(1000)
		heard := part{from: from, to: from + 1 + random.Int64N(60), row: -1, virtual: true}
		d.ribbons = append(d.ribbons, ribbon{parts: []part{heard}})
	}
	d.findLanes()
	most := 0
	for f := range int64(1100) {
		used := map[int]bool{}
		for _, r := range d.ribbons {
			if p := r.parts[0]; p.from <= f && f < p.to {
				if used[p.row] {
					t.Fatalf("two voices in lane %d at %d", p.row, f)
				}
				used[p.row] = true
			}
		}
		most = max(most, len(used))
	}
	if d.lanes != most {
		t.Errorf("%d lanes, want %d", d.lanes, most)
	}
}

// TestLevels checks that recorded levels equal the mixer's at the right time, even after samples
// were removed.
func TestLevels(t *testing.T) {
	const rate, hop = 1000, 20
	index := make([]float32, 50) // 3 dB less with every hop
	for i := range index {
		index[i] = float32(pcm.Decibels(-6*i).Linear() * pcm.Decibels(-6*i).Linear())
	}
	sound, err := sounds.NewSound(sounds.Samples{Rate: rate, Channels: 2, Data: make([]float32, 2*hop*len(index)), Envelope: sounds.Envelope{Hop: hop, Once: index}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(mixer.Config{Rate: rate, Voices: 2, NoLimiter: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Engine().At(40).Play(sound, mixer.Options{}); err != nil {
		t.Fatal(err)
	}
	l := NewLevels(rate, 20*time.Millisecond)
	for range 10 {
		m.Render(make([]pcm.Frame, hop))
		l.AddPeak(m.Now(), 0.5)
		l.Sample(m)
	}
	const stereo = 3.01 // both channels
	check := func(frame int64, want float64) {
		t.Helper()
		if got, ok := l.at(1, frame); !ok || math.Abs(got-want) > 0.3 {
			t.Errorf("at %d it is %v dB, %v; want %v", frame, got, ok, want)
		}
	}
	// A block ends on the grid before the scores of that frame are refreshed.
	for k := range int64(6) {
		check(60+hop*k, -6*float64(k)+stereo)
	}
	check(40, stereo)
	if _, ok := l.at(2, 40); ok {
		t.Error("a voice that was not there has a level")
	}
	if p := l.peak(0, 200); math.Abs(p+6.02) > 0.3 {
		t.Errorf("a peak of %v dB, want -6", p)
	}
	l.thin()
	for k := range int64(3) {
		check(80+2*hop*k, -6*float64(2*k+1)+stereo)
	}
	m.Render(make([]pcm.Frame, hop))
	m.Render(make([]pcm.Frame, hop))
	l.Sample(m)
	check(240, -6*9+stereo)
}

// TestDrawTimeline checks a steal, a refusal and voices in a picture.
func TestDrawTimeline(t *testing.T) {
	recorded := NewLevels(1000, 20*time.Millisecond)
	recorded.tracks[1] = &track{0, slices.Repeat([]uint8{halfDecibels(-20)}, 25)}
	recorded.tracks[2] = &track{5, slices.Repeat([]uint8{halfDecibels(-90)}, 245)}
	d := sampleTimeline(t, recorded)
	s := layTimeline(d, newPNGCanvas(1, 1))
	c, err := drawTimeline(d, func(w, h int) canvas { return newPNGCanvas(w, h) })
	if err != nil {
		t.Fatal(err)
	}
	img := c.(*pngCanvas).img
	at := func(frame int64, row float64) color.RGBA {
		return img.RGBAAt(int(s.x(frame)), int(s.slotTop+s.row*row+3))
	}
	// Voice 1 is the loudest, and voice 2 almost inaudible.
	loud, faint := at(300, 0), at(300, 1)
	bell, wind := soundColour(0), soundColour(slices.Index(d.sounds, "wind"))
	if loud != bell {
		t.Errorf("the loudest voice is drawn %v, want %v", loud, bell)
	}
	if faint == wind || faint == figurestyle.PlotBackground {
		t.Errorf("a faint voice is drawn %v, neither %v nor %v", faint, wind, figurestyle.PlotBackground)
	}
	if got := at(2600, 0); got != figurestyle.PlotBackground {
		t.Errorf("a free slot is drawn %v, want %v", got, figurestyle.PlotBackground)
	}
	// When voice 2 became virtual, there is a mark and a link into the lane.
	lost := at(900, 1)
	if int(lost.R) < int(lost.B)+60 {
		t.Errorf("the mark of a loss is drawn %v", lost)
	}
	if got := img.RGBAAt(int(s.x(1500)), int(s.refusedTop)+3); got.R < 200 || got.G > 160 {
		t.Errorf("a refused start is drawn %v", got)
	}
	var file bytes.Buffer
	if err := c.writeTo(&file); err != nil {
		t.Fatal(err)
	}
	if got, _, err := image.DecodeConfig(bytes.NewReader(file.Bytes())); err != nil || got.Width != s.width+timeLeft+timeRight || got.Height != s.height {
		t.Errorf("the PNG is %+v, %v", got, err)
	}
}

// TestTimelineSVG checks that the SVG is valid XML with its texts.
func TestTimelineSVG(t *testing.T) {
	d := sampleTimeline(t, nil)
	d.title = `a <b> & "c"`
	c, err := drawTimeline(d, func(w, h int) canvas { return newSVGCanvas(w, h) })
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.writeTo(&file); err != nil {
		t.Fatal(err)
	}
	text, x := "", xml.NewDecoder(&file)
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			text += string(data)
		}
	}
	for _, want := range []string{d.title, "wind #2", "levels were not recorded", "refused", "2.5 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("the SVG does not say %q", want)
		}
	}
}

// TestTimelineHTML checks that the page has its data, loads no other files, and has an explanation
// for each voice.
func TestTimelineHTML(t *testing.T) {
	recorded := NewLevels(1000, 20*time.Millisecond)
	recorded.tracks[2] = &track{5, []uint8{1, 2, 3}}
	d := sampleTimeline(t, recorded)
	d.title = "</script>"
	var file bytes.Buffer
	if err := d.writeHTML(&file); err != nil {
		t.Fatal(err)
	}
	page := file.String()
	if strings.Contains(page, "http:") || strings.Contains(page, "https:") || strings.Contains(page, "src=") {
		t.Error("the page asks for something from elsewhere")
	}
	if !strings.Contains(page, `content="default-src 'none';`) || strings.Count(page, "<script") != strings.Count(page, "</script>") {
		t.Error("the page may ask for something from elsewhere, or its scripts end early")
	}
	for _, part := range []string{timelineStyle, timelineDraw, timelineScript} {
		if part == "" || !strings.Contains(page, part) {
			t.Errorf("the page lacks %.40q", part)
		}
	}
	_, data, _ := strings.Cut(page, `<script id="data" type="text/plain">`)
	data, _, _ = strings.Cut(data, "</script>")
	unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Title  string
		Voices []pageVoice
	}
	if err := json.NewDecoder(unpacked).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Title != d.title || len(got.Voices) != 6 {
		t.Fatalf("the page is of %q with %d voices", got.Title, len(got.Voices))
	}
	v := got.Voices[1]
	if v.Number != 2 || v.First != 5 || !bytes.Equal(v.Levels, []byte{1, 2, 3}) || len(v.Text.Events) != 4 ||
		!slices.Equal(v.Parts, []int64{100, 900, 1, 0, 900, 1020, 0, 1, 1020, 5000, 1, 0}) {
		t.Errorf("voice 2 is %+v", v)
	}
}

// TestTimelineMissed checks that a cue without a voice adds no sound.
func TestTimelineMissed(t *testing.T) {
	text := `{"version":1,"rate":8000,"frames":10,"events":[{"kind":"started","voice":1,"sound":"bell","slot":0},{"kind":"missed","cue":1}]}`
	d, err := Read("r", "r", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.sounds, []string{"bell"}) || len(d.marks) != 0 {
		t.Errorf("sounds %q and %d marks, want bell and none", d.sounds, len(d.marks))
	}
}

func TestTimelineTooMany(t *testing.T) {
	text := `{"version":1,"rate":8000,"frames":10,"events":[{"kind":"started","voice":1,"slot":5000}]}`
	d, err := Read("r", "r", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drawTimeline(d, func(w, h int) canvas { return newSVGCanvas(w, h) }); err == nil || !strings.Contains(err.Error(), "5001 voices") {
		t.Errorf("5001 rows: %v", err)
	}
	if maxShown != 500000 {
		t.Errorf("at most %d events are shown, want the documented 500,000", maxShown)
	}
	two := `{"version":1,"rate":8000,"events":[{"kind":"missed"},{"kind":"missed"}]}`
	for read, tooMany := range map[int]bool{maxShown - 2: false, maxShown - 1: true} { // events before the two
		g := collector{voices: map[uint64]*explain.VoiceEvents{}, used: map[string]int{}, events: read}
		if _, err := g.read("r", "r", strings.NewReader(two), nil); (err != nil) != tooMany || tooMany && err.Error() != "r: more than 500000 events are more than a timeline shows; --length cuts a sheet" {
			t.Errorf("two events after %d: %v", read, err)
		}
	}
}

// TestGaps checks that a gap in the output is shaded over all rows in each format, and does not
// count as a refused start.
func TestGaps(t *testing.T) {
	text := `{"version": 1, "rate": 1000, "frames": 5000, "voices": 2, "overflow": "quietest", "events": [
		{"frame": 0, "kind": "started", "voice": 1, "sound": "bell", "cue": 0, "slot": 0},
		{"frame": 100, "kind": "device", "state": "lost", "reason": "server gone"},
		{"frame": 4000, "kind": "device", "state": "back", "seconds": 3.9}], "totals": {"started": 1}}`
	d, err := Read("sample", "r", strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.gaps) != 1 || d.gaps[0].From != 100 || d.gaps[0].To != 4000 || len(d.marks) != 0 {
		t.Errorf("gaps %+v, %d marks; want one from 100 to 4000, and none", d.gaps, len(d.marks))
	}
	var svg, page bytes.Buffer
	if err := errors.Join(d.Write(&svg, SVG), d.Write(&page, HTML)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no sound: server gone; back at 4.000 s", "shaded: no sound"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if sampleTimeline(t, nil).Write(&svg, SVG); strings.Count(svg.String(), "shaded") != 1 {
		t.Error("a picture without a gap says something of one")
	}
}
