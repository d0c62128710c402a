package library

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"voicepool/internal/longtest"
	"voicepool/sounds"
)

// decoderDelay is the delay in frames that every MP3 decoder adds.
const decoderDelay = 528 + 1

// bareMP3 reads a file of testdata/formats from its first frame.
func bareMP3(t *testing.T, name string) []byte {
	t.Helper()
	return withoutID3(formatFile(t, name))
}

// mp3Note returns the offsets of a file's header frame and of the encoder's name in it, and the length of that
// frame.
func mp3Note(t *testing.T, data []byte) (note, name, frame int) {
	t.Helper()
	note = max(bytes.Index(data, []byte("Xing")), bytes.Index(data, []byte("Info")))
	name = note + 4 + 4 + 4 + 4 + 100 + 4
	if string(data[name:name+4]) != "Lavc" {
		t.Fatalf("the note ends with %q, not with the encoder's name", data[name:name+4])
	}
	return note, name, mp3Size(data)
}

// TestMP3Delay checks that the decoder's own delay is removed for every header, also one without a delay or
// encoder name, as in mpg123.
func TestMP3Delay(t *testing.T) {
	for _, file := range []string{"mp3-44100-2-vbr.mp3", "mp3-22050-1-cbr.mp3"} {
		data := bareMP3(t, file)
		want := mustDecode(t, data)
		_, name, frame := mp3Note(t, data)
		delay := int(data[name+21])<<4 | int(data[name+22])>>4
		all := mustDecode(t, data[frame:]) // without the header frame, everything is decoded
		for what, from := range map[string]int{"no delay": 21, "no name": 0} {
			c := bytes.Clone(data)
			clear(c[name+from : name+24])
			got := mustDecode(t, c)
			if got.Frames() != all.Frames()-decoderDelay {
				t.Errorf("%s, %s: %d frames, want all %d but %d", file, what, got.Frames(), all.Frames(), decoderDelay)
				continue
			}
			if !slices.Equal(got.Samples[delay*got.Channels:][:len(want.Samples)], want.Samples) {
				t.Errorf("%s, %s: the original does not begin at frame %d", file, what, delay)
			}
		}
	}
}

// TestMP3Joined checks that joined files play completely, except the padding of the first encoder, as in
// mpg123. It loads and streams them, once and looped.
func TestMP3Joined(t *testing.T) {
	a, b := bareMP3(t, "mp3-44100-2-vbr.mp3"), bareMP3(t, "mp3-44100-2-cbr.mp3")
	note, _, frame := mp3Note(t, a)
	fewer := bytes.Clone(a)
	binary.BigEndian.PutUint32(fewer[note+8:], binary.BigEndian.Uint32(fewer[note+8:])-2)
	for name, data := range map[string][]byte{
		"two files":             slices.Concat(a, b),
		"three files":           slices.Concat(a, b, a),
		"a tag between":         slices.Concat(a, append([]byte("TAG"), make([]byte, 125)...), b),
		"two fewer in the note": fewer,
	} {
		t.Run(name, func(t *testing.T) {
			_, at, _ := mp3Note(t, data)
			delay := int(data[at+21])<<4 | int(data[at+22])>>4
			padding := int(data[at+22]&15)<<8 | int(data[at+23])
			end := int(binary.BigEndian.Uint32(data[note+8:])) * 1152
			all := mustDecode(t, data[frame:]).Samples
			want := slices.Concat(all[2*(delay+decoderDelay):2*(end-padding+decoderDelay)], all[2*end:])
			got := mustDecode(t, data)
			if !slices.Equal(got.Samples, want) {
				t.Fatalf("loaded it has %d frames, not the %d that are there, or others", got.Frames(), len(want)/2)
			}
			if name != "two fewer in the note" {
				alone := mustDecode(t, a).Samples
				if !slices.Equal(got.Samples[:len(alone)], alone) {
					t.Error("the first file is not heard as it is alone")
				}
			}
			for _, loop := range []bool{false, true} {
				if err := streamsAsLoaded(t, data, got, loop); err != nil {
					t.Errorf("loop %v: %v", loop, err)
				}
			}
		})
	}
}

// streamsAsLoaded compares a stream with the loaded clip: length, loop, and frames from the beginning and other
// positions.
func streamsAsLoaded(t *testing.T, data []byte, clip *Clip, loop bool) error {
	t.Helper()
	lib := NewLibrary(Options{Rate: clip.Rate, Loop: loop})
	src := Source{File: "x", FS: fstest.MapFS{"x": {Data: data}}}
	stream, err := lib.OpenStream(src, StreamOptions{})
	if err != nil {
		return err
	}
	sound, err := Prepare(clip, Options{Rate: clip.Rate, Loop: loop})
	if err != nil {
		return err
	}
	region, want := stream.Loop(), sound.Loop()
	if stream.Frames() != sound.Frames() || region != want {
		return fmt.Errorf("a stream of %d frames, loop %v; loaded %d, %v", stream.Frames(), region, sound.Frames(), want)
	}
	tr, err := lib.openTrack(src, &StreamOptions{})
	if err != nil {
		return err
	}
	var playRange sounds.PlayRange
	if loop {
		playRange.Loop = region
	}
	const positions = 13
	for i := int64(0); i < positions; i += int64(longtest.Amount(2, 1)) {
		playRange.From = i * clip.Frames() / positions
		n := int(clip.Frames()) + 1000
		if i > 0 && i < positions-1 && !longtest.Enabled() {
			n = n * 2 / positions // to the next position
		}
		want := loaded(sound, playRange, n)
		flushTiny(want)
		got, err := readRange(t, lib, tr, playRange, min(len(want)+1, n))
		flushTiny(got)
		if loop {
			got = got[:min(len(got), len(want))]
		}
		if err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("from frame %d: %d frames, %v; loaded it has %d", playRange.From, len(got), err, len(want))
		}
	}
	return nil
}

// layer2 returns frames of layer II at 128 kbit/s and 44.1 kHz.
func layer2(n int) (frames [][]byte) {
	for range n {
		frames = append(frames, append([]byte("\xff\xfd\x80\x00"), bytes.Repeat([]byte{0x55}, 413)...))
	}
	return frames
}

// TestMP3OtherFrames checks that unsupported kinds of MPEG audio are distinguished from garbage. The error
// names the kind and the remedy.
func TestMP3OtherFrames(t *testing.T) {
	const (
		free   = "free-format MP3 is not read; convert it: mpg123 -w x.wav x"
		second = "MPEG audio of layer 2 is not read; convert it: mpg123 -w x.wav x"
	)
	data := bareMP3(t, "mp3-no-note.mp3")
	// turned applies a change to the headers of all frames and returns the frames.
	turned := func(change func(head []byte)) [][]byte {
		var frames [][]byte
		for rest := bytes.Clone(data); ; {
			size := mp3Size(rest)
			if size == 0 || size > len(rest) {
				return frames
			}
			change(rest)
			frames = append(frames, rest[:size])
			rest = rest[size:]
		}
	}
	freeFrames := turned(func(head []byte) { head[2] &= 0x0f })
	layer2Frames := layer2(5)
	tag := []byte("ID3\x04\x00\x00\x00\x00\x00\x0a1234567890")
	for _, c := range []struct {
		name string
		data []byte
		text string
	}{
		{name: "free format", data: slices.Concat(freeFrames...), text: free},
		{name: "two frames of free format", data: slices.Concat(freeFrames[:2]...), text: free},
		{name: "two frames and a half", data: slices.Concat(freeFrames[:3]...)[:len(freeFrames[0])*2+100], text: free},
		{name: "free format behind a tag", data: slices.Concat(tag, slices.Concat(freeFrames...)), text: free},
		{
			name: "free format behind zeros",
			data: slices.Concat(make([]byte, 1000), slices.Concat(freeFrames...)),
			text: free,
		},
		{name: "layer 2", data: slices.Concat(layer2Frames...), text: second},
		{name: "layer 2 behind a tag", data: slices.Concat(tag, slices.Concat(layer2Frames...)), text: second},
		{
			name: "free format in the middle", data: slices.Concat(data, slices.Concat(freeFrames...)),
			text: fmt.Sprintf("frame %d: %s", 1152*len(freeFrames), free),
		},
	} {
		_, err := Decode(t.Context(), "x", bytes.NewReader(c.data), Limits{})
		if err == nil || err.Error() != "sounds: x: "+c.text {
			t.Errorf("%s: error %v, want %s", c.name, err, c.text)
		}
	}
	lookalike := bytes.Repeat(append([]byte("\xff\xff\x44\x00"), make([]byte, 44)...), 4) // of layer 1
	if got := mustDecode(t, slices.Concat(lookalike, data)); !slices.Equal(got.Samples, mustDecode(t, data).Samples) {
		t.Error("what looks like frames of another kind before the frames is not passed over")
	}
	rubbish := slices.Concat(data, []byte("\xff\xfb\x00\x00, and so on\xff\xfd\x40"))
	if got := mustDecode(t, rubbish); !slices.Equal(got.Samples, mustDecode(t, data).Samples) {
		t.Error("what looks like one header of another kind behind the frames is not passed over")
	}
}
