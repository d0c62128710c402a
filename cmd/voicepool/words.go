package main

import "voicepool/internal/words"

func oneLine(text string) string            { return words.OneLine(text) }
func count(n int, noun string) string       { return words.Count(n, noun) }
func seconds(frames int64, rate int) string { return words.Seconds(frames, rate) }
func ranked(n map[string]int) []string      { return words.Ranked(n) }
func tally(n map[string]int) string         { return words.Tally(n) }
func clock(at float64) string               { return words.Clock(at) }
