// Package beepio joins the mixer to programs that are built on beep: a mixer is
// a beep.Streamer, which speaker.Play takes, or an io.Reader, which oto takes;
// and what a beep.Streamer gives becomes a sound, or a stream that a voice plays
// as it comes.
//
//	speaker.Play(beepio.NewStreamer(m))          // the audio side
//	clip, err := beepio.Read("tone", tone, 48000, 10*48000) // at most ten seconds
//	music, err := bank.StreamFrames(beepio.Stream("music", s, 44100), sounds.StreamOptions{})
package beepio
