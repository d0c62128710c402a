//go:build !nooto

package auto

// noCard is what oto says of a machine without a sound card.
const noCard = "no sound card in /dev/snd"
