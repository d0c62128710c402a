package beepio_test

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
	"github.com/gopxl/beep/v2/generators"
	"github.com/gopxl/beep/v2/wav"

	"voicepool/beepio"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// left renders a mixer and returns the highest sample of the left channel.
func left(m *mixer.Mixer, frames int) (most float32) {
	block := make([]pcm.Frame, frames)
	m.Render(block)
	for _, f := range block {
		most = max(most, f[0])
	}
	return most
}

// A bus uses effects of beep.
func ExampleNewInsert() {
	quiet, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer {
		return &effects.Volume{Streamer: effects.Mono(s), Base: 2, Volume: -1} // half the amplitude
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := mixer.New(mixer.Config{NoLimiter: true, Buses: []mixer.BusConfig{{Name: "far", Insert: quiet}}})
	far, _ := m.Bus("far")
	m.Play(tone(48000), mixer.Options{Bus: far})
	fmt.Println("late by", quiet.Delay(), "frames")
	fmt.Printf("at most %.2f\n", left(m, 4800))
	// Output:
	// late by 512 frames
	// at most 0.50
}

// A resampler cannot be an effect of a bus.
func ExampleNewInsert_resampler() {
	_, err := beepio.NewInsert(func(s beep.Streamer) beep.Streamer { return beep.ResampleRatio(4, 2, s) })
	fmt.Println(err)
	// Output: beepio: bad streamer: the insert: it takes more frames than it gives, as a resampler does; give the sounds a Speed
}

// tone returns a sound of one of beep's generators.
func tone(frames int) *sounds.Sound {
	sine, err := generators.SineTone(48000, 440)
	if err != nil {
		panic(err)
	}
	clip, err := beepio.Read("tone", beep.Take(frames, sine), 48000, frames)
	if err != nil {
		panic(err)
	}
	s, err := library.Prepare(clip, library.Options{})
	if err != nil {
		panic(err)
	}
	return s
}

// A generator of beep becomes a sound.
func ExampleRead() {
	saw, err := generators.SawtoothTone(44100, 110)
	if err != nil {
		fmt.Println(err)
		return
	}
	clip, err := beepio.Read("saw", beep.Take(22050, saw), 44100, 22050) // half a second
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := library.Prepare(clip, library.Options{}) // at the mixer's 48 kHz
	fmt.Println(s.Name(), s.Rate(), s.Frames(), err)
	// Output: saw 48000 24000 <nil>
}

// A decoder of beep becomes a stream: wav, flac, vorbis and mp3 alike.
func ExampleStream() {
	song, format, err := wav.Decode(bytes.NewReader(song()))
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := library.NewLibrary(library.Options{})
	music, err := lib.StreamFrames(beepio.Stream("song", song, format.SampleRate), library.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := mixer.New(mixer.Config{})
	defer m.Close()
	h, err := m.Play(music, mixer.Options{Gain: -6, Loop: true})
	fmt.Println(h.State(), music.Frames(), err)
	// Output: pending 48000 <nil>
}

// song returns a WAV file of one second, written by beep.
func song() []byte {
	f, err := os.CreateTemp("", "song-*.wav")
	if err != nil {
		panic(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sine, _ := generators.SineTone(44100, 220)
	if err := wav.Encode(f, beep.Take(44100, sine), beep.Format{SampleRate: 44100, NumChannels: 2, Precision: 2}); err != nil {
		panic(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		panic(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		panic(err)
	}
	return data
}
