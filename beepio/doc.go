// Package beepio joins the mixer to programs that use beep.
//
// A Streamer is a mixer as a beep.Streamer, which speaker.Play takes. A Reader is a
// mixer as an io.Reader, which oto takes. Read makes a sound of a beep.Streamer;
// Stream makes a stream of it, which a voice plays as it comes.
//
//	speaker.Play(beepio.NewStreamer(m))          // the audio side
//	clip, err := beepio.Read("tone", tone, 48000, 10*48000) // at most ten seconds
//	music, err := bank.StreamFrames(beepio.Stream("music", s, 44100), sounds.StreamOptions{})
package beepio
